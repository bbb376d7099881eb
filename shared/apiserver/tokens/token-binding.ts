/**
 * The objects that a service account's token is bound to. Source: kubernetes v1.34 registry/core/serviceaccount
 * `TokenREST`.
 */

import { badRequest, conflict, notFound } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { AccountName } from '../contract/service-accounts.ts';
import type { TokenRequestSpec } from './token-request-restriction.ts';

interface NamedUid {
  readonly name: string;
  readonly uid: string;
}

/** The claim `kubernetes.io` of a service account's token. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: NamedUid;
  readonly pod?: NamedUid;
  readonly secret?: NamedUid;
  readonly node?: NamedUid;
}

type Bound = NonNullable<TokenRequestSpec['boundObjectRef']>;

const RESOURCES: Readonly<
  Record<string, { readonly resource: string; readonly claim: 'pod' | 'secret' | 'node' }>
> = {
  Pod: { resource: 'pods', claim: 'pod' },
  Secret: { resource: 'secrets', claim: 'secret' },
  Node: { resource: 'nodes', claim: 'node' },
};

const read = async (objects: ObjectStore, resource: string, namespace: string, name: string) => {
  const row = await objects.read({ resource, namespace: resource === 'nodes' ? '' : namespace, name });
  return row?.state === 'live' ? row.object : undefined;
};

/** The pod that the token is to be bound to; `undefined` if the request names none, or one that does not exist. */
export const boundPod = async (
  objects: ObjectStore,
  { namespace }: AccountName,
  { boundObjectRef: bound }: TokenRequestSpec,
): Promise<Pod | undefined> =>
  bound?.kind === 'Pod'
    ? ((await read(objects, 'pods', namespace, bound.name ?? '')) as Pod | undefined)
    : undefined;

const identityOf = ({ metadata: { name, uid = '' } }: ApiObject): NamedUid => ({ name, uid });

const checkUid = ({ uid, name = '', kind = '' }: Bound, object: ApiObject): void => {
  if (uid && uid !== object.metadata.uid)
    throw conflict(
      { resource: kind, name },
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
};

const checkAccount = (account: AccountName, kind: string | undefined, object: ApiObject): void => {
  if (kind === 'Pod' && (object as Pod).spec['serviceAccountName'] !== account.name)
    throw badRequest(
      `cannot bind token for serviceaccount "${account.name}" to pod running with different serviceaccount name.`,
    );
};

/** A token that is bound to a pod also names the pod's node. */
const nodeOf = async (objects: ObjectStore, kind: string | undefined, object: ApiObject) => {
  const nodeName = kind === 'Pod' ? (object as Pod).spec.nodeName : undefined;
  const node = nodeName ? await read(objects, 'nodes', '', nodeName) : undefined;
  return node ? { node: identityOf(node) } : {};
};

/**
 * The claim for the token's account and bound object. Throws 400, and 404 and 409 if the bound object does not
 * exist as named.
 */
export const bindToken = async (
  objects: ObjectStore,
  account: AccountName & { readonly uid: string },
  { boundObjectRef: bound }: TokenRequestSpec,
): Promise<BoundClaims> => {
  const { namespace, name, uid } = account;
  const claims = { namespace, serviceaccount: { name, uid } };
  if (!bound) return claims;
  const known = Object.hasOwn(RESOURCES, bound.kind ?? '') ? RESOURCES[bound.kind ?? ''] : undefined;
  if (!known || bound.apiVersion !== 'v1')
    throw badRequest(
      `cannot bind token to object of type ${bound.apiVersion ?? ''}, Kind=${bound.kind ?? ''}`,
    );
  const object = await read(objects, known.resource, namespace, bound.name ?? '');
  if (!object) throw notFound({ resource: known.resource, name: bound.name ?? '' });
  checkAccount(account, bound.kind, object);
  checkUid(bound, object);
  return { ...claims, ...(await nodeOf(objects, bound.kind, object)), [known.claim]: identityOf(object) };
};
