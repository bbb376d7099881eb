import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMirrorPods } from '../../../../agent/pods/mirror-pods.ts';
import { watchStaticFolder } from '../../../../agent/pods/static-folder.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { type Known, known, NOT_KNOWN } from '../../../../agent/rules/known.ts';
import { staticPod } from '../../../../agent/rules/pods/static-pod.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { createPodWorld } from '../../../support/agent/pods/pod-world.ts';

const facts = { nodeName: 'n1', file: '/m/a.yaml', digest: () => 'h4sh', now: Date.UTC(2026, 0, 1) };

const manifest = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
  spec: { containers: [{ name: 'c', image: 'host' }], ...spec },
});

const podOfManifest = (name = 'a'): AgentPod => {
  const read = staticPod(manifest({}, { name }), { ...facts, digest: () => `h-${name}` });
  if ('fault' in read) throw new Error(read.fault);
  return read.pod;
};

describe('the pod of a manifest', () => {
  it('has the name of its node, a uid by what it is, and the defaults of the API', () => {
    expect(staticPod(manifest({ tolerations: [{ key: 'k' }] }), facts)).toMatchObject({
      pod: {
        metadata: {
          name: 'a-n1',
          namespace: 'default',
          uid: 'h4sh',
          annotations: {
            'kubernetes.io/config.hash': 'h4sh',
            'kubernetes.io/config.source': 'file',
            'kubernetes.io/config.seen': '2026-01-01T00:00:00Z',
          },
        },
        spec: {
          nodeName: 'n1',
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          tolerations: [{ key: 'k' }, { operator: 'Exists', effect: 'NoExecute' }],
        },
      },
    });
  });

  const env = (source: object) => ({ containers: [{ name: 'c', image: 'host', envFrom: [source] }] });

  it.each([
    [{ kind: 'Pod' }, 'it is not a Pod of v1 with a name and a spec'],
    [manifest({ containers: [] }), 'invalid pod: spec.containers: Required value'],
    [
      manifest({}, { name: 'a\n../b' }),
      expect.stringMatching(/^invalid pod: metadata\.name: Invalid value: /),
    ],
    [
      manifest({}, { namespace: '..' }),
      expect.stringMatching(/^invalid pod: metadata\.namespace: Invalid value: /),
    ],
    [
      manifest({}, { labels: { a: 'b\n' } }),
      expect.stringMatching(/^invalid pod: metadata\.labels: Invalid value: /),
    ],
    [manifest({ serviceAccountName: 'x' }), 'static pods may not reference serviceaccounts'],
    [manifest(env({ configMapRef: { name: 'x' } })), 'static pods may not reference configmaps'],
    [manifest(env({ secretRef: { name: 'x' } })), 'static pods may not reference secrets'],
  ])('%j: %s', (given, fault) => {
    expect(staticPod(given, facts)).toEqual({ fault });
  });
});

describe('the folder of manifests', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'static-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  it('is read again and again; a manifest that is not right stays what it was', async () => {
    const seen: string[][] = [];
    const logs: string[] = [];
    const stop = new AbortController();
    const write = async (name: string, text: string) => await writeFile(join(folder, name), text);
    const steps = [
      async () => {
        await mkdir(join(folder, 'sub'));
        await write('a.yaml', JSON.stringify(manifest()));
        await write('b.yaml', JSON.stringify(manifest()));
        await write('.hidden', 'x');
      },
      async () => await write('a.yaml', '{'),
      async () => await rm(join(folder, 'a.yaml')),
    ];
    await watchStaticFolder(
      {
        folder: join(folder, '.'),
        nodeName: 'n1',
        everyMs: 1,
        log: (text) => void logs.push(text),
        clock: {
          now: () => 0,
          uptime: () => 0,
          sleep: async () => {
            const next = steps.shift();
            if (next) await next();
            else stop.abort();
          },
        },
        onPods: (pods) => void seen.push(pods.map(({ metadata }) => metadata.uid ?? '')),
      },
      stop.signal,
    );
    const [none, both, kept, other] = seen;
    expect([none, both?.length, kept, other?.length]).toEqual([[], 1, both, 1]);
    expect(other).not.toEqual(both);
    expect(logs.filter((text) => text.includes('stays as it was'))).toHaveLength(1);
    expect(logs.filter((text) => text.includes('another manifest of the name default/a-n1'))).toHaveLength(2);
  });
});

describe('mirror pods', () => {
  const world = () => {
    const calls: string[] = [];
    let pods: AgentPod[] = [];
    const here = new Set<string>();
    let uid: string | undefined;
    const mirrors = createMirrorPods({
      nodeName: 'n1',
      nodeUid: () => uid,
      log: (text) => void calls.push(text),
      isHere: (_namespace, name) => here.has(name),
      api: {
        mirrors: async () => pods,
        create: async (pod) => {
          calls.push(`create ${pod.metadata.name} of ${pod.metadata.ownerReferences?.[0]?.uid}`);
          const made = { ...pod, metadata: { ...pod.metadata, uid: `m${calls.length}` } };
          pods = [...pods, made];
          return made;
        },
        delete: async (_namespace, name, of) => {
          calls.push(`delete ${name} ${of}`);
          pods = pods.filter(({ metadata }) => metadata.uid !== of);
        },
      },
    });
    return {
      calls,
      mirrors,
      here,
      register: (): void => {
        uid = 'u1';
      },
      change: (change: (pod: AgentPod) => AgentPod): void => {
        pods = pods.map(change);
      },
    };
  };

  it('are made once the Node is known, made again when they are other, and go with their pod', async () => {
    const { calls, mirrors, here, register, change } = world();
    const pod = podOfManifest();
    await mirrors.sync([pod]);
    expect(calls).toEqual([]);
    register();
    await mirrors.sync([pod]);
    await mirrors.sync([pod]);
    expect(calls.splice(0)).toEqual(['create a-n1 of u1']);
    expect(mirrors.mirrorOf(pod)?.metadata.uid).toBe('m1');
    change((one) => ({ ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    await mirrors.sync([pod]);
    expect(calls.splice(0)).toEqual(['delete a-n1 m1', 'create a-n1 of u1']);
    here.add('a-n1');
    await mirrors.sync([]);
    expect(calls).toEqual([]);
    here.clear();
    await mirrors.sync([]);
    expect(calls).toEqual(['delete a-n1 m2']);
    expect(mirrors.mirrorOf(pod)).toBeUndefined();
  });
});

describe('static pods', () => {
  it('run without the API, and a new manifest waits until the old one has ended', async () => {
    const world = createPodWorld();
    world.startAgent();
    const [old, next] = [podOfManifest(), podOfManifest()];
    world.setStatics([old]);
    await world.seconds(1);
    expect(world.runtime.starts).toEqual(['a-n1/c #0']);
    world.runtime.onStop = () => ({ ms: 5000, exitCode: 0 });
    world.setStatics([{ ...next, metadata: { ...next.metadata, uid: 'next' } }]);
    await world.seconds(4);
    expect(world.runtime.starts).toHaveLength(1);
    await world.seconds(3);
    expect(world.runtime.starts).toEqual(['a-n1/c #0', 'a-n1/c #0']);
    expect(world.runtime.running()).toEqual(['a-n1/c']);
  });

  it('wait, and are not refused, until their node is known', async () => {
    let node: Known<Node> = NOT_KNOWN;
    const admission = {
      get node() {
        return node;
      },
    };
    const world = createPodWorld({ admission });
    world.setStatics([podOfManifest()]);
    world.startAgent();
    await world.seconds(60);
    expect([world.runtime.starts, world.events]).toEqual([[], []]);
    node = known({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: ROOM });
    await world.seconds(20);
    expect(world.runtime.running()).toEqual(['a-n1/c']);
  });
});

const ROOM = { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } };
