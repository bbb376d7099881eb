/** Which machine a Node surely has. A Node's own word, `spec.providerID`, is no proof: whoever acts on a machine asks here. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { type InstanceAnswer, instanceKey, providerIdOf, sameMachine } from './instance.ts';
import { MACHINE_ANNOTATION } from './machine-annotation.ts';

/**
 * `cloud`: the provider names this Node for the machine, and no other Node names the machine. `ambiguous`: the provider does, but another Node
 * names the machine, too. `operator`: an administrator says so, whatever a provider answers.
 */
const PROOFS = ['cloud', 'ambiguous', 'operator'] as const;

interface MachineWord {
  readonly key: string;
  readonly proof: (typeof PROOFS)[number];
}

/** Why nothing is done to the machine of a Node. Also the reason of Events. */
export type MachineDoubt = 'MachineNotVerified' | 'MachineAmbiguous';

/** A providerID that was set later, and names another machine, makes the word void, unless an administrator has said so. */
const machineWordOf = (node: Node): MachineWord | undefined => {
  const [key = '', word = '', ...rest] = (
    ownMember(node.metadata.annotations, MACHINE_ANNOTATION) ?? ''
  ).split(' ');
  const proof = PROOFS.find((one) => one === word);
  if (key === '' || proof === undefined || rest.length > 0) return undefined;
  const claim = providerIdOf(node);
  const isVoid = proof !== 'operator' && claim !== '' && instanceKey(claim) !== key;
  return isVoid ? undefined : { key, proof };
};

/**
 * Whether what a cloud says about this machine (by its instance key) is about this Node: the provider or an administrator names the Node for
 * it. That another Node names the machine, too, is only that Node's word.
 */
export const isNamedFor = (node: Node, instance: string): boolean => machineWordOf(node)?.key === instance;

/** The instance key of the machine for which an administrator names the Node, whatever the Node names itself; `''`: none. */
export const operatorMachine = (node: Node): string => {
  const word = machineWordOf(node);
  return word?.proof === 'operator' ? word.key : '';
};

/** Why nobody may switch the machine of this Node off; `undefined`: its machine is verified. */
export const machineDoubt = (node: Node): MachineDoubt | undefined => {
  const word = machineWordOf(node);
  if (!word) return 'MachineNotVerified';
  return word.proof === 'ambiguous' ? 'MachineAmbiguous' : undefined;
};

/** The verified machine by its providerID, or by its instance key if the Node has none of this machine; `''`: none is verified. */
export const verifiedMachine = (node: Node): string => {
  const word = machineWordOf(node);
  if (!word || word.proof === 'ambiguous') return '';
  const claim = providerIdOf(node);
  return instanceKey(claim) === word.key ? claim : word.key;
};

/** Whether this answer names the Node, and is about the machine that the Node names, if it names one. */
export const isNamedBy = (node: Node, answer: InstanceAnswer): boolean => {
  if (typeof answer === 'string' || answer.nodeName !== node.metadata.name) return false;
  const claim = providerIdOf(node);
  return claim === '' || sameMachine(claim, answer.providerId);
};

/**
 * The Node with what the answer proves. A provider that cannot say, or does not find the machine, changes nothing, and no answer changes the word of an
 * administrator. `isShared`: another live Node names the machine.
 */
export const withMachine = (node: Node, answer: InstanceAnswer, isShared: boolean): Node => {
  if (typeof answer === 'string' || machineWordOf(node)?.proof === 'operator') return node;
  const proof = isShared ? 'ambiguous' : 'cloud';
  const text = isNamedBy(node, answer) ? `${instanceKey(answer.providerId)} ${proof}` : undefined;
  const metadata = withAnnotation(node.metadata, MACHINE_ANNOTATION, text);
  return metadata === node.metadata ? node : { ...node, metadata };
};
