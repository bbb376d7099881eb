import { type Creation, newObject } from '../../kinds/admission/new-object.ts';
import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { writerOf } from '../../kinds/contract/user.ts';
import { alreadyExists, conflict, hasReason, StatusError } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ObjectKey, Row } from '../../ports/store/rows.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import type { TokenLimit } from '../access/limited-token.ts';
import { withOwnNode } from '../access/node-identity.ts';
import { readObject } from '../body/body.ts';
import { ownedAfterCreate } from '../body/ownership.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { created } from '../contract/http.ts';
import { warn } from '../contract/warnings.ts';
import { isDryRun } from '../request/options.ts';

const MAX_GENERATED_NAMES = 8;

type Owner<T extends ApiObject> = NonNullable<Creation<T>['withOwner']>;

/** The store key of a call's object. */
export const keyOf = ({ info }: Call, name = info.name): ObjectKey => ({
  resource: info.resource,
  namespace: info.namespace,
  name,
});

const occupied = (call: Call, { object }: Extract<Row, { state: 'live' }>): StatusError => {
  const subject = subjectOf(call, object.metadata.name);
  const error = alreadyExists(subject);
  return object.metadata.deletionTimestamp === undefined
    ? error
    : new StatusError('AlreadyExists', `object is being deleted: ${error.message}`, error.details);
};

/** `expiresAt` for kinds with a retention; nothing for kinds that do not expire. */
export const expiryOf = <T extends ApiObject>(
  { retentionMs }: Strategy<T>,
  { config }: ApiServerDeps,
  now: EpochMs,
): { expiresAt?: EpochMs } => (retentionMs ? { expiresAt: now + retentionMs(config) } : {});

/** How a new object is stored. */
interface Storing extends Partial<TokenLimit> {
  readonly deps: ApiServerDeps;
  readonly dryRun: boolean;
}

/** Stores a new object; a dry run only returns what would be stored. Throws 409 when the name is taken. */
export const storeNew = async <T extends ApiObject>(
  call: Call,
  strategy: Strategy<T>,
  object: T,
  { deps, dryRun, tokenUse, usedUp }: Storing,
): Promise<Answer> => {
  const key = keyOf(call, object.metadata.name);
  const decide = (row: Row | undefined, now: EpochMs): ObjectWrite => {
    if (row?.state === 'live') throw occupied(call, row);
    if (key.resource === 'nodes') checkNodeToken(call.user, undefined);
    const rows = strategy.rows ? { rows: strategy.rows() } : {};
    const use = optional('tokenUse', tokenUse);
    return { next: object, writer: writerOf(call.user), ...rows, ...use, ...expiryOf(strategy, deps, now) };
  };
  if (dryRun) {
    decide(await deps.objects.read(key), deps.clock.now());
    return created(object);
  }
  let result = await deps.writer.write(key, decide);
  // Rarely it was the Node's heartbeat item that refused. A token that is used up refuses again.
  if (result.outcome === 'checkFailed' && tokenUse) result = await deps.writer.write(key, decide);
  if (result.outcome === 'checkFailed')
    throw tokenUse && usedUp ? usedUp : conflict(subjectOf(call, key.name));
  return created(result.outcome === 'written' ? result.object : object);
};

/** The object that a create of the call's sender stores; its warnings go to the client. Throws 400, 403, 404 and 422. */
export const newObjectOf = async <T extends ApiObject>(
  call: Call,
  strategy: Strategy<T>,
  given: T,
  deps: ApiServerDeps,
  withOwner: Owner<T> = (object, now) => ownedAfterCreate({ call, strategy, now }, object),
): Promise<T> => {
  const { user, info, request } = call;
  const { namespace } = info;
  const { object, warnings } = await newObject({ strategy, given, user, namespace, withOwner }, deps);
  warn(request, warnings);
  return object;
};

/** What a limited bootstrap token makes of a new Node. Throws 403. */
const limitOf = async (
  { user: { limits }, info }: Call,
  object: ApiObject,
): Promise<Partial<TokenLimit> & { readonly node?: ApiObject }> =>
  limits && info.resource === 'nodes'
    ? (await import('../access/limited-token.ts')).newLimitedNode(limits, object)
    : {};

const isTaken = (error: unknown): boolean => hasReason(error, 'AlreadyExists');

/** POST to a collection. */
export const createVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (sent, deps) => {
    const call = await withOwnNode(sent, deps);
    const dryRun = isDryRun(call.request, 'CreateOptions');
    const given = readObject<T>(call.request, strategy.kind, strategy.schema);
    for (let tries = 1; ; tries += 1) {
      try {
        const object = await newObjectOf(call, strategy, given, deps);
        const { node = object, ...limit } = await limitOf(call, object);
        return await storeNew(call, strategy, node as T, { deps, dryRun, ...limit });
      } catch (error) {
        // A generated name that is taken is replaced by another one.
        if (given.metadata.name || !isTaken(error) || tries >= MAX_GENERATED_NAMES) throw error;
      }
    }
  };
