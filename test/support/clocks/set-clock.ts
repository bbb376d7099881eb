// Preloaded by `node --import` into a host under test, whose clock can then be set: the file that ROLLCALL_TEST_CLOCK names holds
// the milliseconds by which it is ahead, read at the start and again at each SIGUSR2. Monotonic clocks stay as they are.
import { readFileSync } from 'node:fs';

const file = process.env['ROLLCALL_TEST_CLOCK'] ?? '';
const trueNow = Date.now.bind(Date);
let aheadMs = 0;

const read = (): void => {
  aheadMs = Number(readFileSync(file, 'utf8'));
};

class SetDate extends Date {
  constructor(given: string | number | Date = SetDate.now()) {
    super(given);
  }

  static override now(): number {
    return trueNow() + aheadMs;
  }
}

read();
process.on('SIGUSR2', read);
Object.defineProperty(globalThis, 'Date', { value: SetDate, writable: true, configurable: true });
