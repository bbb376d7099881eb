import { expect, it } from 'vitest';
import { SCHEDULER_QUEUE, SchedulerWakeUp } from '../../../../shared/ports/process/messages.ts';

it('reads wake-ups of the first version, and nothing else', () => {
  const sent: SchedulerWakeUp = { v: 1, kind: 'change' };
  expect(SchedulerWakeUp.parse(JSON.parse('{"v":1,"kind":"change"}'))).toEqual(sent);
  expect(() => SchedulerWakeUp.parse({ v: 2, kind: 'change' })).toThrow('v');
  expect(SCHEDULER_QUEUE).toBe('scheduler');
});
