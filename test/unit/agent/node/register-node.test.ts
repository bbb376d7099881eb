import { expect, it } from 'vitest';
import { registerNode, tryRegister } from '../../../../agent/node/register-node.ts';
import type { NodeRegistry } from '../../../../agent/ports/api/node-registry.ts';
import { initialNode } from '../../../../agent/rules/registration/initial-node.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';

const node = initialNode({
  nodeName: 'n1',
  hostname: 'n1',
  os: 'linux',
  arch: 'amd64',
  nodeLabels: { zone: 'a' },
  registerWithTaints: [],
  providerID: '',
  enableControllerAttachDetach: false,
  externalCloudProvider: false,
});

const registryWith = (answers: Partial<NodeRegistry>): NodeRegistry => ({
  create: async () => 'created',
  get: async () => undefined,
  patchStatus: async () => undefined,
  ...answers,
});

const depsWith = (nodes: NodeRegistry) => ({
  nodes,
  buildNode: async () => node,
  isRecreated: false,
  warn: () => undefined,
});

it('does not look up a Node that it may not create, if the gate says so', async () => {
  const deps = depsWith(registryWith({ create: async () => ({ forbidden: 'no' }), get: async () => node }));
  expect(await tryRegister(deps)).toBe(true);
  expect(await tryRegister({ ...deps, looksUpOnlyExisting: true })).toBe(false);
});

it('goes on when the Node cannot be built, and ends when it is told to', async () => {
  const clock = createVirtualClock(0);
  const stop = new AbortController();
  let tries = 0;
  const buildNode = async () => {
    tries += 1;
    if (tries === 9) stop.abort();
    throw new Error('no machine');
  };
  const work = registerNode({ ...depsWith(registryWith({})), buildNode, clock, signal: stop.signal });
  expect(await clock.run(work)).toBe(false);
  expect(clock.now()).toBe(100 + 200 + 400 + 800 + 1600 + 3200 + 6400 + 3 * 7000);
});
