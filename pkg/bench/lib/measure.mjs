// CPU time of small operations: many calls per sample, samples of all contenders in turn, the median of each.
import { writeFileSync } from 'node:fs';

const SAMPLES = 41;
const SAMPLE_NS = 4e6;
const WARM_UPS = 3;

/** Nanoseconds of CPU time per call, median over interleaved samples. `jobs` maps names to functions of a call count. */
export function measure(jobs) {
  const names = Object.keys(jobs);
  const counts = Object.fromEntries(names.map((name) => [name, calibrate(jobs[name])]));
  const taken = Object.fromEntries(names.map((name) => [name, []]));
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (const name of names) taken[name].push(cpu(jobs[name], counts[name]) / counts[name]);
  }
  return Object.fromEntries(names.map((name) => [name, median(taken[name])]));
}

/** Nanoseconds of CPU time of one run, median over interleaved samples: for work that is long, or that waits. */
export async function alternate(jobs) {
  const taken = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let sample = -WARM_UPS; sample < SAMPLES; sample++) {
    for (const [name, job] of Object.entries(jobs)) {
      const before = process.cpuUsage();
      await job();
      if (sample >= 0) taken[name].push(since(before));
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, median(times)]));
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** A figure with its unit, in three significant digits. */
export function shown(ns) {
  if (ns >= 1e6) return `${(ns / 1e6).toPrecision(3)} ms`;
  return ns >= 1e3 ? `${(ns / 1e3).toPrecision(3)} µs` : `${ns.toPrecision(3)} ns`;
}

export function write(table) {
  const file = process.env.BENCH_OUT;
  if (!file) throw new Error('BENCH_OUT names no file; run this by `cargo xtask bench`');
  writeFileSync(file, JSON.stringify(table));
}

function calibrate(job) {
  let count = 64;
  for (let i = 0; i < 3; i++) cpu(job, count);
  while (cpu(job, count) < SAMPLE_NS / 2) count *= 2;
  return count;
}

function cpu(job, count) {
  const before = process.cpuUsage();
  job(count);
  return since(before);
}

function since(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1e3;
}
