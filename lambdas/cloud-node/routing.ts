import { ownMember } from '../../shared/kube/json/own-member.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import { hasShutdownTaint } from '../../shared/rules/cloud/cloud-step.ts';
import { isUninitialised } from '../../shared/rules/cloud/initialise.ts';
import { claimedKey } from '../../shared/rules/cloud/instance.ts';
import { MACHINE_ANNOTATION } from '../../shared/rules/cloud/machine-annotation.ts';
import { operatorMachine } from '../../shared/rules/cloud/verified-machine.ts';
import { readyStatusOf } from '../../shared/rules/nodes/node-conditions.ts';
import { hasOutOfServiceTaint } from '../../shared/rules/nodes/out-of-service.ts';
import {
  POLICY_ANNOTATION,
  POWERED_OFF_ANNOTATION,
  provenSince,
} from '../../shared/rules/nodes/out-of-service-proof.ts';
import { taintsOf } from '../../shared/rules/nodes/taints.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { CloudNodeMessage, NodesMessage, ProofMessage } from './message.ts';

type Messages = readonly Outgoing<CloudNodeMessage>[];

/** The most Nodes that one message names. */
export const NODES_OF_MESSAGE = 100;

const isReady = (node: Node): boolean => readyStatusOf(node) === 'True';
const isDown = (node: Node): boolean => ['False', 'Unknown'].includes(readyStatusOf(node) ?? '');
/** The machine that the Node names, and the one for which an administrator names the Node. */
const machinesIn = (node: Node | undefined): readonly string[] =>
  node ? [...new Set([claimedKey(node), operatorMachine(node)])].filter((key) => key !== '') : [];
const namesOther = (was: Node, is: Node): boolean =>
  was.spec?.providerID !== is.spec?.providerID || operatorMachine(was) !== operatorMachine(is);

/** Whether something has happened to a Node after which its cloud is asked. */
const isNews = (was: Node | undefined, is: Node): boolean => {
  if (!was) return true;
  const isSilent = isReady(was) && !isReady(is);
  const isBack = !isReady(was) && isReady(is) && hasShutdownTaint(is);
  const hasTaint = !isUninitialised(was) && isUninitialised(is);
  return isSilent || isBack || hasTaint || namesOther(was, is);
};

/** What a proof may follow from. */
const groundsIn = (node: Node | undefined): string =>
  node && isDown(node) && !hasOutOfServiceTaint(node)
    ? JSON.stringify([
        ...taintsOf(node).map(({ key, effect }) => `${key}:${effect}`),
        ownMember(node.metadata.annotations, POLICY_ANNOTATION),
        ownMember(node.metadata.annotations, POWERED_OFF_ANNOTATION),
        ownMember(node.metadata.annotations, MACHINE_ANNOTATION),
      ])
    : '';

/** A node that is down, and shows something new from which a proof may follow; one that is back after a proof. */
const ofProof = (name: string, was: Node | undefined, is: Node | undefined): Messages => {
  if (!is) return [];
  const grounds = groundsIn(is);
  if (grounds !== '' && grounds !== groundsIn(was)) return [{ body: { v: 1, kind: 'proof', name } }];
  const isBack = isReady(is) && provenSince(is) !== undefined;
  return isBack && !(was && isReady(was)) ? [{ body: { v: 1, kind: 'back', name } }] : [];
};

const ofNode = ({ key: { name }, before, after }: Step): Messages => {
  const was = before && before.uid === after?.uid ? before : undefined;
  const kept = machinesIn(was && after?.object);
  const left = machinesIn(before?.object).filter((machine) => !kept.includes(machine));
  const gone: Messages = left.map((instance) => ({ body: { v: 1, kind: 'gone', name, instance } }));
  const looks: Messages =
    after && isNews(was?.object, after.object) ? [{ body: { v: 1, kind: 'nodes', names: [name] } }] : [];
  return [...gone, ...looks, ...ofProof(name, was?.object, after?.object)];
};

/** The names that go together in one message. */
const shared = (names: readonly string[]) => chunksOf([...new Set(names)], NODES_OF_MESSAGE);

const isOfProof = (message: Outgoing<CloudNodeMessage>): message is Outgoing<ProofMessage> =>
  'kind' in message.body && message.body.kind === 'proof';

/** In an outage thousands of nodes are down of which none wants a proof. */
const joinedProofs = (messages: readonly Outgoing<ProofMessage>[]): Messages =>
  messages.length < 2
    ? messages
    : shared(messages.map(({ body }) => body.name)).map((names) => ({
        body: { v: 1, kind: 'proofs', names },
      }));

const isOfNodes = (message: Outgoing<CloudNodeMessage>): message is Outgoing<NodesMessage> =>
  'kind' in message.body && message.body.kind === 'nodes';

/** Proofs are also looked for without a cloud. */
const asksCloud = ({ body }: Outgoing<CloudNodeMessage>): boolean =>
  !('kind' in body) || body.kind === 'nodes' || body.kind === 'gone';

const joined = (messages: readonly Outgoing<NodesMessage>[]): Messages =>
  shared(messages.flatMap(({ body }) => body.names)).map((names) => ({
    body: { v: 1, kind: 'nodes', names },
  }));

/** Messages for Nodes that are new, fall silent, come back, name another machine, or show something from which a proof may follow. The sweep looks at all of them, so a resync sends none. */
export const routing: Routing<CloudNodeMessage> = {
  route: (step) => (step.key.resource === 'nodes' ? ofNode(step) : []),
  resync: async () => [],
  matters: (message, { hasCloud }) => hasCloud || !asksCloud(message),
  merge: (messages) => [
    ...messages.filter((message) => !isOfNodes(message) && !isOfProof(message)),
    ...joined(messages.filter(isOfNodes)),
    ...joinedProofs(messages.filter(isOfProof)),
  ],
};
