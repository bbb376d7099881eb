import { describe, expect, it } from 'vitest';
import { createExporter, exportRequest, type Sent } from '../../../../host/tracing/exporter.ts';
import type { EndedSpan } from '../../../../host/tracing/span.ts';
import { tracesUrl } from '../../../../host/tracing/start.ts';

const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
const aSpan = (name = 's'): EndedSpan => ({
  name,
  kind: 'server',
  attributes: {},
  links: [],
  context,
  parentSpanId: undefined,
  startedAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_001,
});

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

const anExporter = (answers: readonly Sent[]) => {
  const left = [...answers];
  const bodies: string[] = [];
  const planned: { readonly ms: number; readonly work: () => void }[] = [];
  const counts = { exported: 0, dropped: [] as (readonly [number, string])[] };
  const exporter = createExporter({
    resource: { 'service.name': 'rollcall' },
    post: async (body) => {
      bodies.push(body);
      return left.shift() ?? 'sent';
    },
    later: (ms, work) => {
      planned.push({ ms, work });
      return () => planned.splice(0);
    },
    onExported: (spans) => {
      counts.exported += spans;
    },
    onDropped: (spans, reason) => counts.dropped.push([spans, reason]),
  });
  const add = (spans: number): void => {
    for (let index = 0; index < spans; index += 1) exporter.add(aSpan());
  };
  /** Runs what is planned next; resolves to the ms after which it was planned. */
  const next = async (): Promise<number | undefined> => {
    const plan = planned.shift();
    plan?.work();
    await turn();
    return plan?.ms;
  };
  return { exporter, add, next, bodies, counts };
};

describe('the exporter of spans', () => {
  it('sends what a second has brought, and a full batch of 512 at once', async () => {
    const { add, next, bodies, counts } = anExporter([]);
    add(1_100);
    expect([await next(), await next(), await next(), await next()]).toEqual([0, 0, 1_000, undefined]);
    expect(bodies).toHaveLength(3);
    expect(counts).toEqual({ exported: 1_100, dropped: [] });
  });

  it('keeps at most 2,048 spans while nobody answers, counts the others, and asks less and less often', async () => {
    const { add, next, counts } = anExporter(Array.from({ length: 100 }, () => 'unanswered' as const));
    add(3_000);
    expect(counts.dropped).toEqual(Array.from({ length: 952 }, () => [1, 'queue-full']));
    const pauses: (number | undefined)[] = [];
    for (let index = 0; index < 8; index += 1) pauses.push(await next());
    expect(pauses).toEqual([0, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('sends again what was not answered, and drops what is refused', async () => {
    const { add, next, bodies, counts } = anExporter(['unanswered', 'sent', 'refused']);
    add(1);
    expect([await next(), await next()]).toEqual([1_000, 2_000]);
    expect(bodies[1]).toBe(bodies[0]);
    expect(counts.exported).toBe(1);
    add(2);
    expect(await next()).toBe(1_000);
    expect(counts).toEqual({ exported: 1, dropped: [[2, 'refused']] });
  });

  it('sends all at a stop, and gives up at the first that is not answered', async () => {
    const { exporter, add, counts } = anExporter(['sent', 'unanswered']);
    add(700);
    await exporter.stop();
    expect(counts).toEqual({ exported: 512, dropped: [[188, 'stopped']] });
  });
});

it('spans are written as the JSON encoding of OTLP asks', () => {
  const link = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), isSampled: true };
  const span = {
    ...aSpan('DELETE /x'),
    attributes: { code: 200, ok: true, share: 0.5, text: 't' },
    parentSpanId: 'e'.repeat(16),
    links: [link],
    error: 'why',
  };
  expect(exportRequest([span], { 'service.name': 'rollcall' })).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'rollcall' } }] },
        scopeSpans: [
          {
            scope: { name: 'rollcall' },
            spans: [
              {
                traceId: 'a'.repeat(32),
                spanId: 'b'.repeat(16),
                parentSpanId: 'e'.repeat(16),
                name: 'DELETE /x',
                kind: 2,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000001000000',
                attributes: [
                  { key: 'code', value: { intValue: '200' } },
                  { key: 'ok', value: { boolValue: true } },
                  { key: 'share', value: { doubleValue: 0.5 } },
                  { key: 'text', value: { stringValue: 't' } },
                ],
                links: [{ traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }],
                status: { code: 2, message: 'why' },
              },
            ],
          },
        ],
      },
    ],
  });
});

it.each([
  ['http://c:4318', 'http://c:4318/v1/traces'],
  ['http://c:4318/', 'http://c:4318/v1/traces'],
  ['https://c/otlp', 'https://c/otlp/v1/traces'],
  ['https://c/v1/traces', 'https://c/v1/traces'],
])('spans for the collector %s go to %s', (base, url) => expect(tracesUrl(base)).toBe(url));
