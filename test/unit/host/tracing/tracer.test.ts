import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { EndedSpan } from '../../../../host/tracing/span.ts';
import { parseTraceparent, traceparentOf } from '../../../../host/tracing/span.ts';
import { createTracer, isInShare } from '../../../../host/tracing/tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const aTracer = (share = 1) => {
  const ended: EndedSpan[] = [];
  let [ids, time] = [0, 0];
  const randomHex = (bytes: number): string => {
    ids += 1;
    return ids.toString(16).padStart(2 * bytes, '0');
  };
  const now = (): number => {
    time += 1;
    return time;
  };
  const tracer = createTracer({ share, randomHex, now, onEnd: (span) => ended.push(span) });
  const of = (name: string) => ended.find((span) => span.name === name);
  return { tracer, ended, of, names: () => ended.map(({ name }) => name) };
};

const nothing = async (): Promise<void> => undefined;

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [` 00-${TRACE}-${SPAN}-03 `, true],
    [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
  ])('%s is read', (header, isSampled) =>
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled }),
  );

  it.each([
    undefined,
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
  ])('%s is none', (header) => expect(parseTraceparent(header)).toBeUndefined());

  it('is written as it is read', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    expect(traceparentOf(parseTraceparent(header) ?? expect.fail())).toBe(header);
  });
});

describe('a span', () => {
  it('has the span around it as its parent, and the trace of that', async () => {
    const { tracer, of } = aTracer();
    await tracer.inSpan({ name: 'outer' }, () => tracer.inSpan({ name: 'inner' }, nothing));
    expect(of('inner')?.parentSpanId).toBe(of('outer')?.context.spanId);
    expect(of('inner')?.context.traceId).toBe(of('outer')?.context.traceId);
    expect(of('outer')?.parentSpanId).toBeUndefined();
    expect(tracer.current()).toBeUndefined();
  });

  it('continues the trace of another process, sampled or not', async () => {
    const { tracer, ended, names } = aTracer();
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
    await tracer.inSpan({ name: 'sampled' }, nothing, parent);
    await tracer.inSpan({ name: 'not' }, nothing, { ...parent, isSampled: false });
    expect(names()).toEqual(['sampled']);
    expect(ended[0]).toMatchObject({ parentSpanId: SPAN, context: { traceId: TRACE } });
  });

  it('is of a new trace if it is linked only, and sampled because the link is, whatever the share', async () => {
    const { tracer, ended } = aTracer(0);
    const links = [{ traceId: TRACE, spanId: SPAN, isSampled: true }];
    await tracer.inSpan({ name: 'later', links }, nothing);
    expect(ended).toMatchObject([{ name: 'later', links, parentSpanId: undefined }]);
    expect(ended[0]?.context.traceId).not.toBe(TRACE);
  });

  it('that is not sampled is told to nobody, and neither is what is in it', async () => {
    const { tracer, names } = aTracer(0);
    await tracer.inSpan({ name: 'outer' }, async () => {
      expect(tracer.current()).toBeUndefined();
      await tracer.within({ name: 'inner' }, async (span) => expect(span).toBeUndefined());
    });
    expect(names()).toEqual([]);
  });

  it('says why its work failed, and the work fails as before', async () => {
    const { tracer, ended } = aTracer();
    const work = tracer.inSpan({ name: 'w' }, async () => Promise.reject(new RangeError('too far')));
    await expect(work).rejects.toThrow('too far');
    expect(ended).toMatchObject([{ error: 'too far', attributes: { 'error.type': 'RangeError' } }]);
  });

  it('goes along with work that somebody else starts', async () => {
    const { tracer, of } = aTracer();
    const waiting: (() => void)[] = [];
    const first = tracer.inSpan({ name: 'first' }, () => {
      const work = AsyncLocalStorage.bind(() => tracer.within({ name: 'of first' }, nothing));
      return new Promise<void>((done) => {
        waiting.push(() => done(work()));
      });
    });
    await tracer.inSpan({ name: 'second' }, async () => waiting[0]?.());
    await first;
    expect(of('of first')?.parentSpanId).toBe(of('first')?.context.spanId);
  });
});

it('a share of the traces is chosen by their ids', () => {
  const ids = Array.from({ length: 1_000 }, (_, n) =>
    Math.floor((n / 1_000) * 2 ** 52)
      .toString(16)
      .padStart(32, '0'),
  );
  expect(ids.filter((id) => isInShare(id, 0.25))).toHaveLength(250);
  expect(ids.filter((id) => isInShare(id, 1))).toHaveLength(1_000);
  expect(ids.filter((id) => isInShare(id, 0))).toHaveLength(0);
});
