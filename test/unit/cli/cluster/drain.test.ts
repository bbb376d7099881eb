import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const KEYS = JSON.stringify({ current: 'k1', keys: { k1: Buffer.alloc(32, 7).toString('base64url') } });
const HERE = '--server https://api.test';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const condition = (type: string, status: string, message = '') => ({ type, status, message });
const node = (unschedulable: boolean, ...conditions: readonly object[]) => ({
  spec: { unschedulable },
  status: { conditions },
});

const run = async (line: string, answers: readonly object[], status = 200) => {
  const sent: Sent[] = [];
  const left = [...answers];
  const world: Partial<CommandContext> = {
    env: { ROLLCALL_SECRET_ARN: 'arn' },
    readSecret: async () => KEYS,
    now: () => Date.parse('2026-03-01T12:00:00Z'),
    wait: async () => undefined,
    fetch: async (url, init) => {
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      sent.push({ method: init?.method ?? '', path: new URL(url).pathname, body });
      return Response.json(left.shift() ?? {}, { status });
    },
  };
  return { ...(await runCommandLine(line, world)), sent };
};

describe('rollcall drain', () => {
  it('asks for the drain with the options that are given, and returns', async () => {
    const line = `drain n1 ${HERE} --grace-period 5 --timeout 600s --delete-after 300 --force --ignore-daemonsets --delete-emptydir-data --pod-selector app=web --reason kernel`;
    const { code, printed, sent } = await run(line, [{}]);
    expect([code, printed]).toEqual([
      0,
      'n1 is cordoned and is being drained. Cancel it with: kubectl uncordon n1',
    ]);
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/v1/nodes/n1/drain',
        body: {
          kind: 'NodeDrain',
          apiVersion: 'rollcall.dev/v1',
          spec: {
            gracePeriodSeconds: 5,
            timeoutSeconds: 600,
            deleteAfterSeconds: 300,
            force: true,
            ignoreDaemonSets: true,
            deleteEmptyDirData: true,
            podSelector: 'app=web',
            reason: 'kernel',
          },
        },
      },
    ]);
  });

  it('waits, tells each change of what holds the drain once, and ends with it', async () => {
    const busy = node(true, condition('DrainInProgress', 'True', '2 pods are left'));
    const done = node(true, condition('DrainInProgress', 'False'), condition('Drained', 'True'));
    const { code, printed } = await run(`drain n1 --wait ${HERE}`, [{}, node(true), busy, busy, done]);
    expect(code).toBe(0);
    expect(printed.split('\n').slice(1)).toEqual(['n1: 2 pods are left', 'n1 is drained']);
  });

  it.each([
    [
      'given up',
      node(true, condition('DrainInProgress', 'False', '1 pod is left')),
      'has given up: 1 pod is left',
    ],
    ['cancelled', node(false), 'was cancelled: the node is schedulable again'],
  ])('fails if the drain was %s', async (_, answer, text) => {
    const { code, complaint } = await run(`drain n1 --wait ${HERE}`, [{}, answer]);
    expect([code, complaint]).toEqual([1, expect.stringContaining(text)]);
  });

  it('tells why the API refuses', async () => {
    const { code, complaint } = await run(
      `drain n1 ${HERE}`,
      [{ message: 'spec.force: Forbidden: bare pods' }],
      422,
    );
    expect([code, complaint]).toEqual([1, expect.stringContaining('422: spec.force: Forbidden: bare pods')]);
  });

  it.each(['drain', 'drain n1 n2', 'drain n1 --timeout soon', 'drain n1 --what'])(
    'refuses the command line: %s',
    async (line) => {
      expect((await run(line, [])).code).toBe(2);
    },
  );
});
