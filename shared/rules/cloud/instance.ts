/** A machine as its provider describes it, and the identity by which Nodes name it. */
import type { Node } from '../../kube/types/core.ts';

/** The states of an instance, by EC2's names. */
export const INSTANCE_STATES = [
  'pending',
  'running',
  'stopping',
  'stopped',
  'shutting-down',
  'terminated',
] as const;
/** One of the states. */
export type InstanceState = (typeof INSTANCE_STATES)[number];

/** Types of addresses that a Node may have. */
export const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'] as const;

/** An address, as in the status of a Node. */
export interface InstanceAddress {
  readonly type: string;
  readonly address: string;
}

/** What a provider knows about a machine. */
export interface Instance {
  /** As in `spec.providerID` of its Node, such as `aws:///eu-west-1a/i-0123456789abcdef0`. */
  readonly providerId: string;
  readonly state: InstanceState;
  readonly instanceType?: string;
  readonly zone?: string;
  readonly region?: string;
  readonly addresses?: readonly InstanceAddress[];
  /** The Node that the provider names for the machine, in the operator's or its own records; never the word of the machine. */
  readonly nodeName?: string;
  /** Further labels of a new Node. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a provider answers about the machine of a Node. `unknown`: it cannot say, for example because another cloud made it. */
export type InstanceAnswer = Instance | 'missing' | 'unknown';

/** The machine that the Node names; `''`: none. */
export const providerIdOf = ({ spec }: Node): string => spec?.providerID ?? '';

const EC2_PROVIDER_ID = /^aws:\/\/\/([^/]*)\/(?:[^/]+\/)*(i-[0-9a-f]+)$/;

/** The instance id and the zone in a providerID of EC2; `undefined` for those of others. */
export const ec2Instance = (
  providerId: string,
): { readonly id: string; readonly zone: string } | undefined => {
  const [, zone = '', id] = EC2_PROVIDER_ID.exec(providerId) ?? [];
  return id === undefined ? undefined : { id, zone };
};

/**
 * The name by which a cloud speaks of the machine with this providerID: EC2's instance id, or else the providerID itself. No cloud gives it
 * to a second machine.
 */
export const instanceKey = (providerId: string): string => ec2Instance(providerId)?.id ?? providerId;

/** Whether both name one machine. Of EC2 the zone counts, too: it belongs to the instance. */
export const sameMachine = (one: string, other: string): boolean => {
  const [a, b] = [ec2Instance(one), ec2Instance(other)];
  return a && b ? a.id === b.id && a.zone === b.zone : one === other;
};

/** What a sort key of DynamoDB (1,024 bytes) holds beside its topic. No cloud has names that are longer, or other characters. */
const KEY = /^[\x20-\x7e]{1,512}$/;

/** The key of the machine that the Node names, for stores and messages; `''`: it names none, or by no name that a cloud gives. */
export const claimedKey = (node: Node): string => {
  const providerId = providerIdOf(node);
  return KEY.test(providerId) ? instanceKey(providerId) : '';
};

/** Whether the Node names the machine of which its cloud speaks so. That is the Node's own word, and no proof: see `isNamedFor`. */
export const hasMachine = (node: Node, instance: string): boolean =>
  instanceKey(providerIdOf(node)) === instance;
