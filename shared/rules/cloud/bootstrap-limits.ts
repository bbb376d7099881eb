/** Limits that an administrator puts into a bootstrap token: which Nodes it makes, and how many. */
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { instanceKey, providerIdOf } from './instance.ts';
import { MACHINE_ANNOTATION } from './machine-annotation.ts';

/** The id of the limited bootstrap token that made the Node. The control plane writes it, and no node does. */
export const MADE_BY_ANNOTATION = 'rollcall.dev/bootstrap-token';

/** The most Nodes that `uses` may allow. */
export const MOST_USES = 100_000;

/** What the claim `bootstrap` of a token says. */
export interface BootstrapLimits {
  /** The only Node that the token makes. */
  readonly node?: string;
  /** The machine of the Node, as in `spec.providerID`. */
  readonly providerId?: string;
  /** How many Nodes it makes at most. */
  readonly uses?: number;
}

const isText = (value: unknown): boolean => typeof value === 'string' && /^\S+$/.test(value);

const FORMS: Readonly<Record<keyof BootstrapLimits, (value: unknown) => boolean>> = {
  node: isText,
  providerId: isText,
  uses: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_USES,
};

/** The limits in a claim. `undefined` for a claim with a limit that is wrong or not known here: nobody can say what it would refuse. */
export const limitsIn = (claim: object): BootstrapLimits | undefined => {
  const entries = Object.entries(claim);
  const isKnown = entries.every(
    ([name, value]) => Object.hasOwn(FORMS, name) && FORMS[name as keyof BootstrapLimits](value),
  );
  return isKnown && entries.length > 0 ? claim : undefined;
};

/** Why the token does not make a Node of this name and machine, or fetch its token, as the end of a sentence; `undefined`: it may. */
export const limitFault = ({ node: name, providerId }: BootstrapLimits, node: Node): string | undefined => {
  if (name !== undefined && node.metadata.name !== name)
    return `this bootstrap token is for the node "${name}"`;
  const claim = providerIdOf(node);
  return providerId === undefined || claim === providerId
    ? undefined
    : `this bootstrap token is for the machine "${providerId}"`;
};

/** A new Node with what the token says of it. A machine that the token names is verified: the token is the word of an administrator. */
export const limitedNode = (node: Node, { providerId }: BootstrapLimits, id: string): Node => {
  const made = withAnnotation(node.metadata, MADE_BY_ANNOTATION, id);
  if (providerId === undefined) return { ...node, metadata: made };
  const metadata = withAnnotation(made, MACHINE_ANNOTATION, `${instanceKey(providerId)} operator`);
  return { ...node, metadata, spec: { ...node.spec, providerID: providerId } };
};

/** Whether the Node was made by the token with this id, which has counted it. */
export const isMadeBy = ({ metadata }: Node, id: string): boolean =>
  metadata.annotations?.[MADE_BY_ANNOTATION] === id;
