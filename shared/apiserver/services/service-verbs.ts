/** The verbs of Services, which get their addresses before they are stored, and give them back. */
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { serviceStrategy } from '../../kinds/services/services.ts';
import {
  type Service,
  validateService,
  validateServiceUpdate,
} from '../../kinds/services/validate-service.ts';
import { hasReason } from '../../kube/errors/status-error.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { familiesOf, serviceRanges } from '../../rules/addresses/service-addresses.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import type { Verbs } from '../contract/resource.ts';
import { createVerb } from '../verbs/create.ts';
import { patchVerb } from '../verbs/patch.ts';
import { replaceVerb } from '../verbs/replace.ts';
import { claimHeld, giveUp, isOwn, release } from './address-claims.ts';
import { type Allocation, givenAddresses, lacksAddress, withAddresses } from './allocate.ts';

/** Most times that one request begins anew because another one took its address. */
const MOST_TRIES = 8;

/** A change needs addresses, which cannot be looked for while it is decided. */
class Lacking extends Error {
  readonly service: Service;
  readonly before: Service;

  constructor(service: Service, before: Service) {
    super('the Service needs an address');
    this.service = service;
    this.before = before;
  }
}

/** Whether the Service has an address that it did not have before, so that it has to be claimed. */
const isChosen = (after: Service, before: Service): boolean =>
  givenAddresses(after).some((address) => address !== 'None' && !givenAddresses(before).includes(address));

/** Whether the change itself is refused: then no address may be claimed for it. */
const isRefused = (after: Service, before: Service): boolean =>
  validateService(after).length > 0 || validateServiceUpdate(after, before).length > 0;

/** The Service with the addresses of another one. */
const addressedAs = (service: Service, { spec = {} }: Service): Service => {
  const fields = ['clusterIP', 'clusterIPs', 'ipFamilies'].filter((field) => spec[field] !== undefined);
  const addresses = Object.fromEntries(fields.map((field) => [field, spec[field]]));
  return { ...service, spec: { ...service.spec, ...addresses } };
};

/** After a failed change. It may be stored nevertheless, so its own error is the answer, whatever becomes of the claims. */
const giveAllUp = async ({ claims, searches, deps }: Allocation): Promise<void> => {
  await Promise.allSettled(searches);
  for (const claim of claims.splice(0)) await giveUp(claim, deps).catch(() => undefined);
};

/** A strategy for one request, which claims addresses as they are needed. */
const allocating = (allocation: Allocation, found: { service?: Service }): Strategy<Service> => ({
  ...serviceStrategy,
  defaults: (service) => {
    const { ipFamilies, ...spec } = (service.spec ?? {}) as Record<string, unknown>;
    const families = familiesOf(service.spec ?? {}, serviceRanges(allocation.deps.config.serviceRanges));
    const named = spec['type'] === 'ExternalName' ? {} : { ipFamilies: ipFamilies ?? families };
    return serviceStrategy.defaults({ ...service, spec: { ...spec, ...named } });
  },
  rows: () => allocation.claims.map(({ check }) => check),
  prepared: async (service) => {
    if (serviceStrategy.validate(service).length > 0) return serviceStrategy;
    // Of a generated name that was taken.
    await giveAllUp(allocation);
    const search = withAddresses(service, [], allocation);
    allocation.searches.push(search);
    const addressed = await search;
    return { ...serviceStrategy, admit: ({ object }) => addressedAs(object, addressed) };
  },
  forUpdate: (after, before) => {
    const kept = serviceStrategy.forUpdate(after, before);
    const isLeaving = before.metadata.deletionTimestamp !== undefined;
    const isComplete = (isLeaving || !lacksAddress(kept, allocation)) && !isChosen(kept, before);
    if (isComplete || isRefused(kept, before)) return kept;
    if (found.service) return addressedAs(kept, found.service);
    throw new Lacking(kept, before);
  },
});

const isLost = async (error: unknown, { claims, deps }: Allocation): Promise<boolean> => {
  if (!hasReason(error, 'Conflict') || claims.length === 0) return false;
  const own = await Promise.all(claims.map((claim) => isOwn(claim, deps)));
  return own.includes(false);
};

/** Runs the verb; once more with the addresses that it turned out to need. */
const run = async (
  verb: (strategy: Strategy<Service>) => Handle<ApiServerDeps>,
  [call, deps]: Parameters<Handle<ApiServerDeps>>,
  allocation: Allocation,
) => {
  try {
    return await verb(allocating(allocation, {}))(call, deps);
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    const service = await withAddresses(error.service, givenAddresses(error.before), allocation);
    return verb(allocating(allocation, { service }))(call, deps);
  }
};

/** After a change: a Service of a release that claimed no addresses may have some. They are claimed as such Services change. */
const claimAllHeld = async ({ info }: Call, { body }: Answer, { dryRun, claims, deps }: Allocation) => {
  if (dryRun || info.verb === 'create' || claims.length > 0) return;
  const { namespace, name } = info;
  for (const address of givenAddresses(body as Service))
    if (address !== 'None') await claimHeld(address, { namespace, name }, deps).catch(() => undefined);
};

const withClaims =
  (verb: (strategy: Strategy<Service>) => Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const dryRun = call.request.query.getAll('dryRun').includes('All');
    for (let tries = 1; ; tries += 1) {
      const allocation: Allocation = { deps, dryRun, claims: [], searches: [] };
      try {
        const answer = await run(verb, [call, deps], allocation);
        await claimAllHeld(call, answer, allocation);
        return answer;
      } catch (error) {
        const isAgain = tries < MOST_TRIES && (await isLost(error, allocation).catch(() => false));
        await giveAllUp(allocation);
        if (!isAgain) throw error;
      }
    }
  };

/** After the answer: a Service that a finalizer keeps still has its addresses. */
const releasing =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { namespace, name } = call.info;
    const row = liveRow(await deps.objects.read({ resource: 'services', namespace, name }));
    const answer = await handle(call, deps);
    for (const address of row ? givenAddresses(row.object) : [])
      if (address !== 'None') await release(address, deps).catch(() => undefined);
    return answer;
  };

/** The verbs of Services, from those that they have like all stored kinds. */
export const serviceVerbs = (stored: Verbs): Verbs => ({
  ...stored,
  create: withClaims(createVerb),
  patch: withClaims(patchVerb),
  update: withClaims(replaceVerb),
  ...(stored.delete ? { delete: releasing(stored.delete) } : {}),
});
