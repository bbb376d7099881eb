/** Set up for each file of the suite: notes how long it took, and what the run has used of the processor meanwhile. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { markedSeconds } from '../../runner/processor-time.ts';

const {
  ROLLCALL_FILE_TIMES: path,
  ROLLCALL_RUN_MARK: own = '',
  ROLLCALL_LOCALSTACK_MARK: emulator = '',
} = process.env;
const marks = [own, emulator].filter((mark) => mark !== '');

if (path !== undefined) {
  const startedAt = Date.now();
  const before = markedSeconds(marks);
  // The hook that is registered first is called last.
  afterAll(() => {
    const file = relative('.', expect.getState().testPath ?? '');
    const times = { file, startedAt, endedAt: Date.now(), processor: markedSeconds(marks) - before };
    appendFileSync(path, `${JSON.stringify(times)}\n`);
  });
}
