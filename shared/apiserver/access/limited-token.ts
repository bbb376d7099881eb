/** Holds bootstrap tokens to their limits. Loaded only for a token that has some. */
import type { User } from '../../kinds/contract/user.ts';
import { forbidden, type StatusError } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import type { TokenUse } from '../../ports/store/commit.ts';
import {
  type BootstrapLimits,
  isMadeBy,
  limitedNode,
  limitFault,
  limitsIn,
} from '../../rules/cloud/bootstrap-limits.ts';
import { providerIdOf } from '../../rules/cloud/instance.ts';

type Limited = NonNullable<User['limits']>;

/** Milliseconds for which the count outlives its token: the clocks of those who check the token may differ, or be set back. */
const KEPT_MS = 24 * 60 * 60_000;

const refused = (name: string, why: string): StatusError => forbidden({ resource: 'nodes', name }, why);

const UNKNOWN = 'this bootstrap token has a limit that this control plane does not know';

/** What a write of a Node needs, and the 403 for a write whose condition fails. */
export interface TokenLimit {
  readonly tokenUse?: TokenUse;
  readonly usedUp: StatusError;
}

const limitOf = ({ uses }: BootstrapLimits, { id, expiresAt }: Limited, name: string): TokenLimit => ({
  ...(uses === undefined ? {} : { tokenUse: { id, most: uses, expiresAt: expiresAt + KEPT_MS } }),
  usedUp: refused(
    name,
    `this bootstrap token makes ${uses} ${uses === 1 ? 'Node' : 'Nodes'}, and has made them: make a new one with: rollcall token --bootstrap`,
  ),
});

const checked = ({ claim, id }: Limited, node: Node): BootstrapLimits => {
  const limits = id === '' ? undefined : limitsIn(claim);
  const why = limits ? limitFault(limits, node) : UNKNOWN;
  if (limits && why === undefined) return limits;
  throw refused(node.metadata.name, why ?? UNKNOWN);
};

/** A new Node as the token lets it be. Throws 403. */
export const newLimitedNode = (given: Limited, node: Node): TokenLimit & { readonly node: Node } => {
  const { claim } = given;
  const { providerId } = limitsIn(claim) ?? {};
  // A machine that says nothing of its providerID gets that of the token.
  const named =
    providerId !== undefined && providerIdOf(node) === ''
      ? { ...node, spec: { ...node.spec, providerID: providerId } }
      : node;
  const limits = checked(given, named);
  return { node: limitedNode(named, limits, given.id), ...limitOf(limits, given, node.metadata.name) };
};

/** What the first token of a Node costs that is there. A Node that this token has made was counted then. Throws 403. */
export const limitOnToken = (given: Limited, node: Node): TokenLimit => {
  const { tokenUse, usedUp } = limitOf(checked(given, node), given, node.metadata.name);
  return tokenUse === undefined || isMadeBy(node, given.id) ? { usedUp } : { tokenUse, usedUp };
};
