export function seen(one: { store: string; place: string; promise: string; kept: number; of: number }): void;
