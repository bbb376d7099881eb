import { describe, expect, it } from 'vitest';
import { parseConfiguration } from '../../../../shared/settings/aws/configuration.ts';
import { parseSinkFilters, writeSinkFilters } from '../../../../shared/settings/events/sink-filters.ts';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:events-AbCdEf';
const OTHER = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:other-AbCdEf';

describe('the sinks of events on AWS', () => {
  it('are URLs with filters, or a list; each has the secret of its own, or the one of all', () => {
    const list = [
      'https://a.example/x#severity=warning&zones=a,b',
      {
        url: 'https://b.example',
        types: ['node-lost', 'NodeReturned'],
        selector: 'pool in (a,b)',
        group: 'off',
      },
      { url: 'https://c.example', keySecretArn: OTHER },
    ];
    const { eventSinks } = parseConfiguration({ eventSink: list, eventKeySecretArn: SECRET });
    expect(eventSinks).toMatchObject([
      { url: 'https://a.example/x', isGrouped: true, keySecretArn: SECRET, filter: { severity: 'warning' } },
      { url: 'https://b.example/', isGrouped: false, keySecretArn: SECRET, filter: { severity: 'info' } },
      { url: 'https://c.example/', isGrouped: true, keySecretArn: OTHER, filter: { severity: 'resolved' } },
    ]);
    expect(parseConfiguration({ eventSink: 'https://a.example https://b.example' }).eventSinks).toMatchObject(
      [{ url: 'https://a.example/', keySecretArn: undefined }, { url: 'https://b.example/' }],
    );
  });

  it('are the same after their filters have been written into a variable and read from it', () => {
    const eventSink = [
      'https://a.example/x#severity=warning&zones=a,b%20c',
      { url: 'https://b.example', types: ['node-lost'], selector: 'pool in (a,b),!old', group: 'off' },
      'https://c.example',
    ];
    const sinks = parseConfiguration({ eventSink }).eventSinks.map((sink, place) => ({
      ...sink,
      name: `s${place}`,
    }));
    expect(parseSinkFilters(writeSinkFilters(sinks))).toEqual(
      sinks.map(({ name, filter, isGrouped }) => ({ name, filter, isGrouped })),
    );
    expect(parseSinkFilters(writeSinkFilters([]))).toEqual([]);
  });

  it.each([
    ['https://u:p@x', 'without credentials'],
    ['https://x#colour=red', '"colour" is no field of a sink; the fields are url, types'],
    ['https://x#key-file=keys', '"keyFile" is no field of a sink'],
    ['https://x#key-secret-arn=keys', 'the keySecretArn "keys" is not the ARN of a secret'],
    ['https://x#types=NodeGone', '"NodeGone" is no type of events'],
    ['https://x https://x', 'x is given twice'],
    [Array.from({ length: 20 }, (_, n) => `https://receiver-${n}.example`), 'fit into the environment'],
    [[`https://x/${'y'.repeat(3_000)}`], 'fit into the environment'],
    [7, 'eventSink: 7 is refused; give URLs'],
  ])('%s is refused', (eventSink, problem) => {
    expect(() => parseConfiguration({ eventSink })).toThrow(problem);
  });
});
