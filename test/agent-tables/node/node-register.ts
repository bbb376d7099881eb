import { registerNode, tryRegister } from '../../../agent/node/register-node.ts';
import type { NodeRegistry } from '../../../agent/ports/api/node-registry.ts';
import { nodeStatusPatch } from '../../../agent/rules/node-status/status-patch.ts';
import { initialNode, type Registration } from '../../../agent/rules/registration/initial-node.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import { applyStrategicMerge } from '../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../shared/kube/schema/schema-of.ts';
import type { Node, NodeStatus } from '../../../shared/kube/types/core.ts';
import { type Replays, replay } from '../replay.ts';

type Addresses = NonNullable<NodeStatus['addresses']>;

interface AddressRow {
  readonly old: Addresses;
  readonly new: Addresses;
  readonly labelAdded: boolean;
}

const NODE = kindSchema('core.v1.Node');

const nodeWith = (addresses: Addresses, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels },
  status: addresses.length > 0 ? { addresses } : {},
});

const merged = (node: Node, patch: Readonly<Record<string, unknown>>): Node =>
  applyStrategicMerge({ ...node }, patch, NODE) as unknown as Node;

type Answer = string;

/** A server with one Node at most, which gives the answers that a row says, and its own after these. */
interface Recorded {
  readonly registry: NodeRegistry;
  readonly calls: readonly Call[];
  serverNode(): Node | null;
}

interface Call {
  readonly verb: string;
  readonly at: number;
  readonly answer?: string;
  readonly body?: unknown;
}

const NO_ANSWERS: Readonly<Record<string, readonly Answer[]>> = {};

const recordedServer = (existing: Node | null, answers = NO_ANSWERS, now = () => 0): Recorded => {
  const calls: Call[] = [];
  let server = existing;
  const answerTo = (verb: string, body?: unknown): Answer => {
    const answer = answers[verb]?.[calls.filter((call) => call.verb === verb).length] ?? '';
    calls.push({ verb, at: now(), ...(answer !== '' && { answer }), ...(body !== undefined && { body }) });
    return answer;
  };
  const refused = (answer: Answer): void => {
    if (answer !== '') throw new Error(answer);
  };
  return {
    calls,
    serverNode: () => server,
    registry: {
      create: async (node) => {
        const answer = answerTo('create');
        if (answer === 'AlreadyExists') return 'exists';
        if (answer === 'Forbidden') return { forbidden: answer };
        refused(answer);
        server = node;
        return 'created';
      },
      get: async () => {
        refused(answerTo('get'));
        return server ?? undefined;
      },
      patchStatus: async (_name, patch) => {
        refused(answerTo('patch', patch));
        server = server && merged(server, patch);
      },
    },
  };
};

interface RegisterRow {
  readonly new: Node;
  readonly existing: Node | null;
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
  readonly resetExtendedResources: boolean;
}

const FRESH = initialNode({
  nodeName: 'n1',
  hostname: 'n1',
  os: 'linux',
  arch: 'amd64',
  nodeLabels: {},
  registerWithTaints: [],
  providerID: '',
  enableControllerAttachDetach: true,
  externalCloudProvider: false,
});

const ignored = (): void => undefined;

export const TABLES: Replays = {
  'node-address-patch': replay(({ old, new: fresh, labelAdded }: AddressRow) => {
    const before = nodeWith(old, {});
    const patch = nodeStatusPatch(before, nodeWith(fresh, labelAdded ? { a: 'b' } : {}));
    return { patch, result: merged(before, patch).status?.addresses ?? [] };
  }),
  'node-register': replay(async ({ new: fresh, existing, answers, resetExtendedResources }: RegisterRow) => {
    const { registry, calls, serverNode } = recordedServer(existing, answers);
    const registered = await tryRegister({
      nodes: registry,
      buildNode: async () => fresh,
      isRecreated: resetExtendedResources,
      warn: ignored,
    });
    return { registered, calls: calls.map(({ at: _at, ...call }) => call), serverNode: serverNode() };
  }),
  'node-register-backoff': replay(
    async ({ createAnswers }: { readonly createAnswers: readonly Answer[] }) => {
      const clock = createVirtualClock(0);
      const existing: Node = { ...FRESH, metadata: { name: 'n1' } };
      const { registry, calls } = recordedServer(existing, { create: createAnswers }, clock.now);
      const registered = await clock.run(
        registerNode({
          nodes: registry,
          buildNode: async () => FRESH,
          isRecreated: false,
          warn: ignored,
          clock,
          signal: new AbortController().signal,
        }),
      );
      return { registered, calls: calls.map(({ at, verb }) => [at, verb]) };
    },
  ),
  'node-initial': replay((row: Omit<Registration, 'os' | 'arch'>) => {
    const { metadata, spec } = initialNode({ ...row, os: 'linux', arch: 'amd64' });
    return { metadata, spec };
  }),
};
