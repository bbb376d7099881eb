import { expect, it } from 'vitest';
import { limitProblem } from '../../../localstack/guard/limits.ts';

const KB = 1_024;
const message = (more: object = {}) => ({ MessageBody: 'm', ...more });
const entries = (count: number, more: object = {}) => ({
  Entries: Array.from({ length: count }, (_, index) => message({ Id: String(index), ...more })),
});
const SEND = 'AmazonSQS.SendMessage';
const SEND_BATCH = 'AmazonSQS.SendMessageBatch';
const PUT_EVENTS = 'AWSEvents.PutEvents';

it.each([
  [SEND, message({ DelaySeconds: 900, MessageBody: 'x'.repeat(256 * KB) }), undefined],
  [SEND, message({ MessageBody: 'x'.repeat(256 * KB + 1) }), 'a message of 262145 bytes, budget 262144'],
  // As UTF-8, not as characters.
  [SEND, message({ MessageBody: 'ä'.repeat(128 * KB + 1) }), 'a message of 262146 bytes, budget 262144'],
  [SEND, message({ DelaySeconds: -1 }), 'a delay of -1 s, limit 900'],
  [SEND_BATCH, entries(10), undefined],
  [SEND_BATCH, entries(11), '11 entries, limit 10'],
  [SEND_BATCH, entries(0), '0 entries, limit 10'],
  [SEND_BATCH, entries(2, { Id: 'same' }), 'two entries of one id'],
  [SEND_BATCH, entries(2, { DelaySeconds: 901 }), 'a delay of 901 s, limit 900'],
  [PUT_EVENTS, entries(10), undefined],
  [PUT_EVENTS, entries(11), '11 entries, limit 10'],
  ['DynamoDB_20120810.GetItem', {}, undefined],
])('%s, row %#', (target, body, problem) => {
  expect(limitProblem(target, JSON.stringify(body))).toBe(problem);
});

it.each([SEND_BATCH, PUT_EVENTS])('%s of more than a megabyte is beyond a limit', (target) => {
  expect(limitProblem(target, JSON.stringify(entries(8, { MessageBody: 'x'.repeat(130 * KB) })))).toMatch(
    /^\d+ bytes, limit 1048576$/,
  );
  expect(
    limitProblem(target, JSON.stringify(entries(7, { MessageBody: 'x'.repeat(130 * KB) }))),
  ).toBeUndefined();
});
