import { Controls } from './controls.js';
import { h } from './dom.js';
import { tokens } from './format.js';
import { Panel } from './panel.js';
import { Side, type StoreKind } from './side.js';
import { choices } from './tally.js';

const left = new Side('left', choices.get('left-store') === 'localStorage' ? 'localStorage' : 'memory', redraw);
const right = new Side('right', 'indexedDb', redraw);
const sides = [left, right];
const controls = new Controls(sides);
const panels = [new Panel(left, leftHeading()), new Panel(right, rightHeading())];
let drawn = false;

void start();

/** Nothing is shown before both sides are open: the first frame is the state itself. */
async function start(): Promise<void> {
  for (const side of sides) side.tally.loaded();
  await Promise.all(sides.map((side) => side.open()));
  document.querySelector('#controls')?.append(controls.element);
  document.querySelector('#panels')?.append(...panels.map((panel) => panel.element));
  drawn = true;
  draw();
  controls.report(arrival());
  document.documentElement.classList.add('ready');
  setInterval(() => panels.forEach((panel) => panel.tick()), 1000);
}

/** What this load cost, side by side. */
function arrival(): string {
  if (left.tally.paid.loads === 1 && right.found === 'new') return 'First visit: both chats ran the script, paid for their passes and stopped.';
  return sides.map((side) => {
    const cost = side.paidOnOpening === 0 ? 'and paid nothing' : `and paid ${tokens(side.paidOnOpening)} tokens for passes`;
    return `${side.name === 'left' ? 'Left' : 'Right'} ${side.found === 'existing' ? 'found its record' : 'had forgotten everything'} ${cost}.`;
  }).join(' ');
}

let due = false;

/** One drawing for all changes of a task. */
function redraw(): void {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    if (drawn) draw();
  });
}

function draw(): void {
  for (const panel of panels) panel.draw();
  controls.draw();
}

function leftHeading(): HTMLElement {
  const select = h('select', { id: 'left-store', 'aria-label': 'Store of the left chat' },
    h('option', { value: 'memory' }, 'memory()'), h('option', { value: 'localStorage' }, 'localStorageStore()'));
  select.value = left.kind;
  const label = h('span', { class: 'keeps' }, keeps(left.kind));
  select.addEventListener('change', () => {
    const kind: StoreKind = select.value === 'localStorage' ? 'localStorage' : 'memory';
    choices.set('left-store', kind);
    label.textContent = keeps(kind);
    void left.move(kind);
  });
  return h('header', {}, h('h2', { id: 'left-title' }, 'Left'), select, label);
}

function rightHeading(): HTMLElement {
  return h('header', {}, h('h2', { id: 'right-title' }, 'Right'), h('code', {}, 'indexedDb()'), h('span', { class: 'keeps' }, 'remembers'));
}

function keeps(kind: StoreKind): string {
  return kind === 'memory' ? 'forgets on reload' : 'remembers a reload, not a kill';
}
