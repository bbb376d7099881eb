import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RollCall } from '../../../../shared/rules/roll-call/roll-call.ts';
import { DEFAULTS } from '../../../../shared/settings/defaults.ts';
import { startPrinter } from '../../../../terminal/roll-call/roll-call-printer.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const EMPTY: RollCall = { now: NOW, nodes: [], zones: [], quietUntil: 0, work: [], waitingPods: [] };

beforeEach(() => {
  const faked = ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...faked] });
});
afterEach(() => void vi.useRealTimers());

it.each<[string, () => Promise<RollCall>]>([
  ['hangs', () => new Promise(() => undefined)],
  ['fails', () => Promise.reject(new Error('the database is locked'))],
])('the table says so if its reading %s', async (_, read) => {
  const written: string[] = [];
  let reading: () => Promise<RollCall> = async () => EMPTY;
  const printer = startPrinter(
    {
      read: () => reading(),
      config: DEFAULTS.nodeLifecycle,
      header: () => ['Rollcall'],
      footer: [],
      terminal: () => ({ rows: 30, columns: 120 }),
      hasColours: false,
      write: (text) => void written.push(text),
      recent: () => [],
      tell: () => undefined,
      everyMs: 1_000,
    },
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(3_000);
  expect(written.join('')).not.toContain('has not been read');
  reading = read;
  await vi.advanceTimersByTimeAsync(8_000);
  expect(written.join('')).toContain('the state has not been read since');
  void printer.stop();
});
