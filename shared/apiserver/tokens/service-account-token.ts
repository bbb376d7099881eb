/**
 * Issues tokens for service accounts: POST …/serviceaccounts/{name}/token. Source: kubernetes v1.34
 * registry/core/serviceaccount `TokenREST`.
 */

import { inNamespace } from '../../kinds/contract/names.ts';
import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidObject, invalidValue } from '../../kube/errors/field-error.ts';
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { GROUP_SERVICE_ACCOUNTS, SERVICE_ACCOUNT_PREFIX } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import { type LiveRow, liveRow } from '../../ports/store/rows.ts';
import { issueToken, TOKEN_AUDIENCE } from '../access/authentication.ts';
import { readObject } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { warn } from '../contract/warnings.ts';
import { bearDefault } from '../namespaces/default-objects.ts';
import { isDryRun } from '../request/options.ts';
import { keyOf } from '../verbs/create.ts';
import { type BoundClaims, bindToken, boundPod } from './token-binding.ts';
import { restrictTokenRequest, type TokenRequestSpec } from './token-request-restriction.ts';

interface TokenRequest extends ApiObject {
  readonly spec?: TokenRequestSpec & { readonly expirationSeconds?: number };
}

const TOKEN_REQUEST: ServedKind = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  resource: 'tokenrequests',
  namespaced: true,
};
const SCHEMA = kindSchema('authentication.v1.TokenRequest');

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** Longest lifetime of a token (seconds). Kubernetes: `--service-account-max-token-expiration`, unset. */
const LONGEST_SECONDS = 24 * 3600;

const faultsOf = (seconds: number): readonly FieldError[] => {
  const field = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS)
    return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > MAX_SECONDS
    ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
};

const shortened = ({ request }: Call, seconds: number): number => {
  if (seconds <= LONGEST_SECONDS) return seconds;
  warn(request, [`requested expiration of ${seconds} seconds shortened to ${LONGEST_SECONDS} seconds`]);
  return LONGEST_SECONDS;
};

/** The request with Kubernetes' default values. Throws 400 and 422. */
const readRequest = (call: Call) => {
  const given = inNamespace(
    readObject<TokenRequest>(call.request, TOKEN_REQUEST, SCHEMA),
    call.info.namespace,
  );
  const { name, namespace } = call.info;
  if (given.metadata.name && given.metadata.name !== name)
    throw badRequest(
      `the service account name in the provided object (${given.metadata.name}) does not match the name on the URL (${name})`,
    );
  const { audiences = [], expirationSeconds = DEFAULT_SECONDS, boundObjectRef } = given.spec ?? {};
  const errors = faultsOf(expirationSeconds);
  if (errors.length > 0) throw invalidObject(TOKEN_REQUEST, given.metadata.name ?? '', errors);
  const spec = {
    audiences: audiences.length === 0 ? [TOKEN_AUDIENCE] : audiences,
    expirationSeconds: shortened(call, expirationSeconds),
    ...(boundObjectRef ? { boundObjectRef } : {}),
  };
  return { account: { name, namespace }, given: given.spec ?? {}, spec };
};

type Asked = ReturnType<typeof readRequest>;

/** The object that the token is bound to. Throws 400, 403, 404 and 409. */
const bind = async (call: Call, { account, given, spec }: Asked, uid: string, { objects }: ApiServerDeps) => {
  // Admission sees the audiences before defaults are applied.
  restrictTokenRequest(call.user, account, given, await boundPod(objects, account, spec));
  return bindToken(objects, { ...account, uid }, spec);
};

const sign = (
  { account: { namespace, name }, spec }: Asked,
  bound: BoundClaims,
  issuedAt: EpochMs,
  { signingKeys, config, ids }: ApiServerDeps,
): Promise<string> =>
  issueToken(
    { signingKeys, clusterId: config.clusterId },
    {
      name: `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`,
      groups: [GROUP_SERVICE_ACCOUNTS, `${GROUP_SERVICE_ACCOUNTS}:${namespace}`],
      audiences: spec.audiences,
      bound,
      id: ids.uuid(),
      issuedAt,
      expiresAt: issuedAt + spec.expirationSeconds * 1000,
    },
  );

/** The account. The default one of a namespace is stored first if it is missing, because pods may use it before. Throws 404. */
const accountRow = async (call: Call, deps: ApiServerDeps): Promise<LiveRow> => {
  const key = keyOf(call);
  const known = liveRow(await deps.objects.read(key));
  if (known) return known;
  await bearDefault(key, deps);
  const born = liveRow(await deps.objects.read(key));
  if (!born) throw notFound(subjectOf(call));
  return born;
};

/**
 * Issues a token for the service account; it is not stored. The token is invalid after it expires, or once an
 * object that it is bound to is deleted. Throws 400, 403, 404, 409 and 422.
 */
export const serviceAccountToken: Handle<ApiServerDeps> = async (call, deps) => {
  isDryRun(call.request, 'CreateOptions');
  const { uid } = await accountRow(call, deps);
  const asked = readRequest(call);
  const bound = await bind(call, asked, uid, deps);
  const issuedAt = deps.clock.now();
  const token = await sign(asked, bound, issuedAt, deps);
  const { account, spec } = asked;
  return created({
    kind: TOKEN_REQUEST.kind,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...account, creationTimestamp: toTime(issuedAt) },
    spec: { ...spec, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: toTime(issuedAt + spec.expirationSeconds * 1000) },
  });
};
