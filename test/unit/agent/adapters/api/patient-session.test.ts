import { expect, it } from 'vitest';
import { createPatientSession } from '../../../../../agent/adapters/api/patient-session.ts';
import { createVirtualClock } from '../../../../../shared/adapters/memory/virtual-clock.ts';
import { type Answers, fakeSession } from './fake-session.ts';

const asked = (status: number, seconds: string) => ({ status, headers: { 'retry-after': seconds } });

const sending = async (...answers: Answers) => {
  const time = createVirtualClock(0);
  const { session, sent } = fakeSession(...answers);
  const patient = createPatientSession(session, { clock: time, random: () => 0.5 });
  const { status } = await time.run(patient.request('PUT', '/lease', { body: { a: 1 } }));
  return { status, at: time.now(), sent };
};

it.each<[string, Answers, number, number, number]>([
  ['an answer counts', [{}], 200, 1, 0],
  ['an error that does not go away counts', [{ status: 403 }], 403, 1, 0],
  ['a failure that says nothing counts: the sender knows better', [{ status: 500 }], 500, 1, 0],
  ['it waits as long as it is asked to, and somewhat longer', [asked(429, '2')], 200, 2, 2_500],
  ['also by a failure', [asked(503, '1'), asked(503, '1')], 200, 3, 2_500],
  ['a second if Lambda refuses', [{ status: 429 }], 200, 2, 1_250],
  ['never for long', [asked(429, '3600')], 200, 2, 12_500],
  ['a date is no number', [asked(429, 'Mon, 23 Nov 2026 13:00:00 GMT')], 200, 2, 1_250],
  ['after four tries the refusal counts', Array(4).fill({ status: 429 }), 429, 4, 3_750],
])('%s', async (_what, answers, status, count, at) => {
  const { sent, ...seen } = await sending(...answers);
  expect(seen).toEqual({ status, at });
  expect(sent).toEqual(Array(count).fill({ method: 'PUT', path: '/lease', body: { a: 1 } }));
});
