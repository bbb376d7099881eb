/** What pods name, write and ask for has lines of an agent in it: none of them becomes a line of the agent's log, and none controls a terminal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event, Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type AgentHereOptions,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: forged lines: ${missing}\n`);

/** Begins each line that is none of the agent's. */
const FORGED = 'the node has left: forged';
/** Ends a line in each way there is, clears a terminal, colours it, and turns its text around. */
const ENDS = '\r\n\u0085\u2028\u001bc\u001b[2J\u001b[31m\u009b1m\u202e\n';
/** A text of a pod. `way` tells those of one test from one another. */
const text = (way: string): string => `x${ENDS}${FORGED} by ${way}\n`;
/** The same, as a name or a path has it. */
const name = (way: string): string => text(way).trimEnd();

const SHELL = ['/bin/sh', '-c'];
const container = (more: object): object => ({
  name: 'c',
  image: 'host',
  command: ['sleep', '1000'],
  ...more,
});
const mounted = (mount: object): object =>
  container({ volumeMounts: [{ name: 'e', mountPath: '/mnt/e', ...mount }] });
const says = (way: string, more: string): readonly string[] => [...SHELL, `${more}`, 'sh', text(way)];

const manifest = (metadata: object, spec: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { terminationGracePeriodSeconds: 0, containers: [container({})], ...spec },
  });

interface Manifest {
  /** Of the manifest; absent: that of the row. */
  readonly file?: string;
  readonly content: string;
  /** How the line of the agent's log begins that has the text. */
  readonly line: RegExp;
}

/** All ways by which a text of a pod comes into the log: those of pods that no API has looked at. */
const LOGGED: Readonly<Record<string, Manifest>> = {
  'the name of a manifest': {
    file: name('the name of a manifest'),
    content: manifest({ name: 'nameless' }, { containers: [container({ image: '' })] }),
    line: /^static pod .*: invalid pod: spec\.containers\[0\]\.image: Required value/,
  },
  'the name of another manifest': {
    file: `z${name('the name of another manifest')}`,
    content: manifest({ name: 'twice' }, {}),
    line: /^static pod .*: there is another manifest of the name default\/twice-/,
  },
  'a value of a manifest': {
    content: manifest({ name: 'value' }, { restartPolicy: text('a value of a manifest') }),
    line: /^static pod .*: invalid pod: spec\.restartPolicy: Unsupported value: /,
  },
  'the name of a pod': {
    content: manifest({ name: name('the name of a pod') }, {}),
    line: /^static pod .*: invalid pod: metadata\.name: Invalid value: /,
  },
  'a namespace': {
    content: manifest({ name: 'namespace', namespace: name('a namespace') }, {}),
    line: /^static pod .*: invalid pod: metadata\.namespace: Invalid value: /,
  },
  'a label': {
    content: manifest({ name: 'labels', labels: { a: text('a label') } }, {}),
    line: /^static pod .*: invalid pod: metadata\.labels: Invalid value: /,
  },
};

/** Texts of pods that are told to the API. They do not come into the log at all; a line that had one would be found. */
const TOLD: Readonly<Record<string, (way: string) => object>> = {
  image: (way) => ({ containers: [container({ image: name(way) })] }),
  program: (way) => ({ containers: [container({ command: [`/bin/${text(way)}`] })] }),
  folder: (way) => ({ containers: [container({ workingDir: `/${name(way)}\0` })] }),
  capability: (way) => ({
    containers: [container({ securityContext: { capabilities: { add: [name(way)] } } })],
  }),
  'path-of-the-machine': (way) => ({
    containers: [mounted({})],
    volumes: [{ name: 'e', hostPath: { path: `/nowhere/${name(way)}`, type: 'Directory' } }],
  }),
  'path-of-a-mount': (way) => ({
    containers: [mounted({ mountPath: `/mnt/${name(way)}/${'y'.repeat(5000)}` })],
    volumes: [{ name: 'e', emptyDir: {} }],
  }),
  message: (way) => ({
    containers: [container({ command: says(way, 'echo "$1" > /dev/termination-log; exit 1') })],
  }),
  output: (way) => ({
    containers: [
      container({
        terminationMessagePolicy: 'FallbackToLogsOnError',
        command: says(way, 'echo "$1"; echo "$1" >&2; exit 1'),
      }),
    ],
  }),
  probe: (way) => ({
    containers: [
      container({ readinessProbe: { periodSeconds: 1, exec: { command: says(way, 'echo "$1"; exit 1') } } }),
    ],
  }),
};

/** Texts of pods that nobody is told. */
const KEPT: typeof TOLD = {
  hook: (way) => ({
    containers: [
      container({ lifecycle: { postStart: { exec: { command: says(way, 'echo "$1"; exit 1') } } } }),
    ],
  }),
  environment: (way) => ({ containers: [container({ env: [{ name: 'A', value: `${text(way)}\0` }] })] }),
  'part-of-a-volume': (way) => ({
    containers: [mounted({ subPath: `${name(way)}/${'y'.repeat(5000)}` })],
    volumes: [{ name: 'e', emptyDir: {} }],
  }),
};

/** What is loaded before an agent. */
const RAW = new URL('../support/agent/machines/raw-text.ts', import.meta.url);
const FAILS = new URL('../support/agent/machines/fails-on-signal.ts', import.meta.url);

const linesOf = (agent: AgentHere): readonly string[] => agent.process().output().split('\n');
/** Lines that pods have made, and those that control a terminal. */
const forgedIn = (agent: AgentHere): readonly string[] =>
  linesOf(agent).filter((line) => line.startsWith(FORGED) || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(line));

describe.runIf(missing === undefined || isComplete)(
  'the log of an agent whose pods forge lines',
  { timeout: 2 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;

    const joins = async (
      given: string,
      options: Pick<AgentHereOptions, 'env' | 'preload'>,
    ): Promise<AgentHere> => {
      const staticPods = join(here.folder, `static-${given}`);
      mkdirSync(staticPods);
      for (const [way, { file = `${way}.json`, content }] of Object.entries(LOGGED))
        writeFileSync(join(staticPods, file), content);
      writeFileSync(join(staticPods, 'twice.json'), manifest({ name: 'twice' }, {}));
      const config = [`staticPodPath: ${staticPods}`, 'fileCheckFrequency: 1s'];
      const one = here.agent(given, { config, ...options });
      one.start();
      await here.seen(`${given} has joined`, PATIENCE_MS, async () =>
        (await here.host.nodes()).some(({ metadata }) => metadata.name === given),
      );
      return one;
    };
    const hasSaid = (one: AgentHere, what: RegExp) =>
      here.seen(`a line ${what}`, PATIENCE_MS, async () => linesOf(one).some((line) => what.test(line)));
    const toldOf = async (pod: string): Promise<string> => {
      const { status } = await here.host.get<Pod>(`/api/v1/namespaces/default/pods/${pod}`);
      const events = await here.host.get<{ items: readonly Event[] }>('/api/v1/namespaces/default/events');
      const own = events.items.filter(({ involvedObject }) => involvedObject.name === pod);
      return JSON.stringify([status, own]);
    };

    const untold = async (): Promise<readonly string[]> => {
      const ways = Object.keys(TOLD);
      const told = await Promise.all(ways.map(toldOf));
      return ways.filter((way, index) => !told[index]?.includes(`${FORGED} by ${way}`));
    };
    /** Those that have not failed yet. */
    const untried = async (): Promise<readonly string[]> => {
      const ways = Object.keys(KEPT);
      const told = await Promise.all(ways.map(toldOf));
      return ways.filter((_, index) => !/"reason":"\w*Error"/.test(told[index] ?? ''));
    };

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      here = await startClusterHere();
      agent = await joins('machine', {
        preload: FAILS,
        env: { FAILS_WITH: text('an error') },
      });
    }, 2 * PATIENCE_MS);

    afterAll(() => here?.close(), PATIENCE_MS);

    it('has their lines, and controls terminals, where it has text as it came', async () => {
      const weak = await joins('weak', { preload: RAW });
      await here.seen('all forge', PATIENCE_MS, async () => {
        const forged = forgedIn(weak).join('\n');
        return ['the name of a manifest', 'the name of another manifest'].every((way) =>
          forged.includes(`${FORGED} by ${way}`),
        );
      });
      expect(forgedIn(weak).some((line) => line.includes('\u001bc'))).toBe(true);
      await weak.process().end('SIGTERM');
    });

    it.each(Object.entries(LOGGED))('has %s in a line of its own', async (_way, { line }) => {
      await hasSaid(agent, line);
      expect(
        linesOf(agent)
          .filter((one) => line.test(one))
          .join('\n'),
      ).toMatch(/\\(?:u00|x)1b/);
      expect(forgedIn(agent)).toEqual([]);
    });

    it('has nothing of what pods of the API say and ask for, of which the API is told at most', async () => {
      const base = {
        nodeName: 'machine',
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
      };
      await here.apply(
        ...Object.entries({ ...TOLD, ...KEPT }).map(([way, spec]) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: way, annotations: { note: text(way) } },
          spec: { ...base, ...spec(way) },
        })),
      );
      await expect.poll(untold, { timeout: PATIENCE_MS }).toEqual([]);
      await expect.poll(untried, { timeout: PATIENCE_MS }).toEqual([]);
      expect(forgedIn(agent)).toEqual([]);
    });

    it('has nothing of a command that fails, of which its client is told', async () => {
      const fails = here.kubectl('exec', 'probe', '--', `/nowhere/${name('a command')}`);
      await expect(fails).rejects.toThrow(FORGED);
      const dies = here.kubectl('exec', 'probe', '--', ...says('a command', 'echo "$1" >&2; exit 3'));
      await expect(dies).rejects.toThrow(FORGED);
      expect(forgedIn(agent)).toEqual([]);
    });

    it('has nothing of what is removed', async () => {
      await here.kubectl('delete', 'pod', '--all', '--timeout=60s');
      expect(forgedIn(agent)).toEqual([]);
    });

    it('has one line of an error that nothing has caught, and those of the code that it came from', async () => {
      process.kill(agent.process().pid, 'SIGUSR2');
      expect(await agent.process().ended).toBe(1);
      expect(agent.process().output()).toMatch(/^rollcall agent: unexpected error: x\\r\\n.*by an error/m);
      expect(forgedIn(agent)).toEqual([]);
    });
  },
);
