import { describe, expect, it } from 'vitest';
import { createNodeUsages } from '../../../../shared/apiserver/metrics/node-usages.ts';
import { AnswerTooLarge } from '../../../../shared/kube/json/bounded-answer.ts';
import type { NodeAnswer, NodeToAsk } from '../../../../shared/ports/outside/node-fetch.ts';

const node = (name: string, uid = `uid-${name}`): NodeToAsk => ({ name, uid });

const answer = (body: unknown, status = 200): NodeAnswer => ({
  status,
  body: new TextEncoder().encode(JSON.stringify(body)),
});

const SUMMARY = { node: { cpu: { usageNanoCores: 1 }, memory: { workingSetBytes: 2 } }, pods: [] };

interface Question {
  readonly node: NodeToAsk;
  readonly target: string;
  readonly signal: AbortSignal;
  answer(answer: NodeAnswer): void;
  fail(error: Error): void;
}

/** Nodes answer when the test says so; time passes only when it says so. */
const setUp = () => {
  let now = 1_000_000;
  const questions: Question[] = [];
  const timers: { readonly at: number; readonly stop: AbortController }[] = [];
  const usages = createNodeUsages({
    clock: { now: () => now },
    pause: () => Promise.resolve(),
    timeout: (ms) => {
      const stop = new AbortController();
      timers.push({ at: now + ms, stop });
      return stop.signal;
    },
    fetch: (asked, target, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<NodeAnswer>();
      signal.addEventListener('abort', () => reject(new Error('too late')));
      questions.push({ node: asked, target, signal, answer: resolve, fail: reject });
      return promise;
    },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 600; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const { at, stop } of timers) if (at <= now) stop.abort();
    await settle();
  };
  const answerAll = async (given = answer(SUMMARY)): Promise<void> => {
    for (const question of questions.splice(0)) question.answer(given);
    await settle();
  };
  return { usages, questions, settle, pass, answerAll };
};

const FULL = answer({
  ...SUMMARY,
  pods: [{ podRef: { namespace: 'd', name: 'p', uid: 'u' }, containers: [{ name: 'c', ...SUMMARY.node }] }],
});

const many = (count: number) => Array.from({ length: count }, (_, index) => node(`n${index}`));

describe('J-193: nodes are asked what they use', () => {
  it('for processors and memory only', async () => {
    const { usages, questions, settle, answerAll } = setUp();
    const found = usages.of([node('n1')]);
    await settle();
    expect(questions[0]).toMatchObject({
      node: node('n1'),
      target: '/stats/summary?only_cpu_and_memory=true',
    });
    await answerAll();
    expect((await found).get('n1')).toMatchObject({ at: 1_000_000, usage: { node: { memoryBytes: 2 } } });
  });

  it('once for all who ask within 15 s, also while they are asked', async () => {
    const { usages, questions, settle, pass, answerAll } = setUp();
    const both = [usages.of([node('n1')]), usages.of([node('n1')])];
    await settle();
    expect(questions).toHaveLength(1);
    await answerAll();
    for (const found of both) expect((await found).size).toBe(1);
    await pass(14_999);
    expect((await usages.of([node('n1')])).size).toBe(1);
    expect(questions).toHaveLength(0);
    await pass(1);
    void usages.of([node('n1')]);
    await settle();
    expect(questions).toHaveLength(1);
  });

  it('anew if a Node of the same name is another one', async () => {
    const { usages, questions, settle, answerAll } = setUp();
    void usages.of([node('n1')]);
    await settle();
    await answerAll();
    void usages.of([node('n1', 'another')]);
    await settle();
    expect(questions).toHaveLength(1);
  });

  it('in the order in which clients asked for them', async () => {
    const { usages, questions, settle, answerAll } = setUp();
    const asked: string[] = [];
    void usages.of(many(100));
    void usages.of(many(200));
    for (let round = 0; round < 4; round += 1) {
      await settle();
      asked.push(...questions.map((question) => question.node.name));
      await answerAll();
    }
    expect(asked).toEqual(many(200).map(({ name }) => name));
  });

  it('at most 64 at a time, whoever asks', async () => {
    const { usages, questions, settle, answerAll } = setUp();
    const found = [usages.of(many(100)), usages.of(many(150))];
    await settle();
    expect(questions).toHaveLength(64);
    await answerAll();
    expect(questions).toHaveLength(64);
    await answerAll();
    await answerAll();
    expect(await Promise.all(found.map(async (one) => (await one).size))).toEqual([100, 150]);
  });
});

describe('J-194: a node is absent', () => {
  it.each([
    ['that answers with an error', answer({ kind: 'Status' }, 503)],
    ['that answers with something else', answer('hello')],
    ['whose answer is no JSON', { status: 200, body: new TextEncoder().encode('{') }],
  ])('%s, and is not asked again for 15 s', async (_, given) => {
    const { usages, questions, settle, answerAll } = setUp();
    const found = usages.of([node('n1')]);
    await settle();
    await answerAll(given);
    expect((await found).size).toBe(0);
    expect((await usages.of([node('n1')])).size).toBe(0);
    expect(questions).toHaveLength(0);
  });

  it('that has not answered within 5 s; others are there', async () => {
    const { usages, questions, settle, pass } = setUp();
    const found = usages.of([node('n1'), node('n2')]);
    await settle();
    questions[1]?.answer(answer(SUMMARY));
    await pass(5_000);
    expect([...(await found).keys()]).toEqual(['n2']);
    expect(questions[0]?.signal.aborted).toBe(true);
  });

  it('whose turn does not come within 30 s, and is not asked any more', async () => {
    const { usages, questions, settle, pass } = setUp();
    const found = usages.of(many(64 * 8));
    await settle();
    for (let second = 0; second < 30; second += 5) await pass(5_000);
    expect((await found).size).toBe(0);
    expect(questions).toHaveLength(64 * 6);
    await pass(60_000);
    expect(questions).toHaveLength(64 * 6);
  });

  it('to a client that has gone; the others wait on', async () => {
    const { usages, settle, answerAll } = setUp();
    const gone = new AbortController();
    const [left, stayed] = [usages.of([node('n1')], gone.signal), usages.of([node('n1')])];
    await settle();
    gone.abort();
    expect((await left).size).toBe(0);
    await answerAll();
    expect((await stayed).size).toBe(1);
  });
});

const ids = (questions: readonly Question[]): readonly string[] =>
  questions.map(({ node: { name } }) => name);

describe('J-197: what a node tells is read within bounds', () => {
  it('pod by pod', async () => {
    const { usages, settle, answerAll } = setUp();
    const found = usages.of([node('n1')]);
    await settle();
    await answerAll(FULL);
    expect((await found).get('n1')?.usage.pods.get('d/p')?.containers).toMatchObject([
      { name: 'c', memoryBytes: 2 },
    ]);
  });

  it.each([
    ['a pod of many values', { ...SUMMARY, pods: [{ a: Array.from({ length: 6_001 }, () => 1) }] }],
    ['many values beside the pods', { ...SUMMARY, a: Array.from({ length: 6_001 }, () => 1) }],
  ])('a node that tells %s is absent, and is left alone for five minutes', async (_, given) => {
    const { usages, questions, settle, pass, answerAll } = setUp();
    const found = usages.of([node('n1')]);
    await settle();
    await answerAll(answer(given));
    expect((await found).size).toBe(0);
    await pass(5 * 60_000 - 1);
    expect((await usages.of([node('n1')])).size).toBe(0);
    expect(questions).toHaveLength(0);
    await pass(1);
    void usages.of([node('n1')]);
    await settle();
    expect(questions).toHaveLength(1);
  });

  it('a node whose answer exceeds what is read at all is left alone, too', async () => {
    const { usages, questions, settle, pass } = setUp();
    void usages.of([node('n1')]);
    await settle();
    questions.splice(0)[0]?.fail(new AnswerTooLarge('too large'));
    await settle();
    await pass(60_000);
    expect((await usages.of([node('n1')])).size).toBe(0);
    expect(questions).toHaveLength(0);
  });
});

describe('J-198: nodes that did not answer properly', () => {
  it('take no places of the others, and no client waits for them for longer than a second', async () => {
    const { usages, questions, settle, pass, answerAll } = setUp();
    void usages.of(many(100));
    await settle();
    // 64 never answer; the others have their turn after them.
    await pass(5_000);
    questions.splice(0, 64);
    await answerAll();
    await pass(15_000);
    const found = usages.of([...many(100), node('good')]);
    await settle();
    expect(questions).toHaveLength(16 + 37);
    expect(ids(questions)).toContain('good');
    for (const question of questions) if (!question.signal.aborted && isGood(question)) question.answer(FULL);
    await settle();
    await pass(1_000);
    expect((await found).size).toBe(37);
  });

  it('are like any other as soon as they answer', async () => {
    const { usages, questions, settle, pass, answerAll } = setUp();
    void usages.of([node('n1')]);
    await settle();
    await answerAll(answer('hello'));
    await pass(15_000);
    const second = usages.of([node('n1')]);
    await settle();
    await answerAll();
    expect((await second).size).toBe(1);
    await pass(15_000);
    const third = usages.of([node('n1')]);
    await settle();
    await pass(2_000);
    expect(questions).toHaveLength(1);
    await answerAll();
    expect((await third).size).toBe(1);
  });
});

const isGood = ({ node: { name } }: Question): boolean => name === 'good' || Number(name.slice(1)) >= 64;
