/** Tokens for service accounts: POST …/serviceaccounts/{name}/token. Source: kubernetes v1.34 registry/core/serviceaccount `TokenREST`. */
import type { FieldError } from '../api/field-error.ts';
import { invalidObject, invalidValue } from '../api/field-error.ts';
import type { ApiObject } from '../api/meta.ts';
import { kindSchema } from '../api/schema/schema-of.ts';
import { badRequest, notFound } from '../api/status-error.ts';
import { toTime } from '../api/time.ts';
import { GROUP_SERVICE_ACCOUNTS, SERVICE_ACCOUNT_PREFIX } from '../api/well-known.ts';
import { issueToken, TOKEN_AUDIENCE } from './authentication.ts';
import { readObject } from './body.ts';
import type { Call, Handle } from './call.ts';
import { subjectOf } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import { created } from './http.ts';
import { inNamespace } from './names.ts';
import { isDryRun } from './options.ts';
import type { ServedKind } from './strategy.ts';
import { keyOf } from './verbs/create.ts';

interface TokenRequest extends ApiObject {
  readonly spec?: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: object;
  };
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

const faultsOf = (seconds: number): readonly FieldError[] => {
  const field = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS)
    return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > MAX_SECONDS
    ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
};

/** The request with what the API fills in. Throws 400 and 422. */
const readRequest = (call: Call) => {
  const given = inNamespace(readObject<TokenRequest>(call.request, TOKEN_REQUEST, SCHEMA), call);
  const { name, namespace } = call.info;
  if (given.metadata.name && given.metadata.name !== name)
    throw badRequest(
      `the service account name in the provided object (${given.metadata.name}) does not match the name on the URL (${name})`,
    );
  const { audiences = [], expirationSeconds = DEFAULT_SECONDS, boundObjectRef = null } = given.spec ?? {};
  const errors = faultsOf(expirationSeconds);
  if (errors.length > 0) throw invalidObject(TOKEN_REQUEST, given.metadata.name ?? '', errors);
  const spec = {
    audiences: audiences.length === 0 ? [TOKEN_AUDIENCE] : audiences,
    expirationSeconds,
    boundObjectRef,
  };
  return { name, namespace, spec };
};

/** A token for the service account; nothing is stored, and it lives until it expires. Throws 404. */
export const serviceAccountToken: Handle<ApiServerDeps> = async (call, deps) => {
  isDryRun(call.request, 'CreateOptions');
  const row = await deps.log.read(keyOf(call));
  if (row?.state !== 'live') throw notFound(subjectOf(call));
  const { name, namespace, spec } = readRequest(call);
  const issuedAt = deps.clock.now();
  const expiresAt = issuedAt + spec.expirationSeconds * 1000;
  const authority = { signingKeys: deps.signingKeys, clusterId: deps.config.clusterId };
  const token = await issueToken(authority, {
    name: `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`,
    groups: [GROUP_SERVICE_ACCOUNTS, `${GROUP_SERVICE_ACCOUNTS}:${namespace}`],
    audiences: spec.audiences,
    issuedAt,
    expiresAt,
  });
  return created({
    kind: TOKEN_REQUEST.kind,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: toTime(issuedAt) },
    spec,
    status: { token, expirationTimestamp: toTime(expiresAt) },
  });
};
