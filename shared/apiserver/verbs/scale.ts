/** autoscaling/v1 Scale of a workload: its replicas as an object of their own. */
import type { Workload } from '../../api/defaults/workload.ts';
import type { FieldError } from '../../api/field-error.ts';
import { invalidObject, invalidValue } from '../../api/field-error.ts';
import type { ApiObject } from '../../api/meta.ts';
import { kindSchema } from '../../api/schema/schema-of.ts';
import { selectorText } from '../../api/selector/object-selector.ts';
import { notFound } from '../../api/status-error.ts';
import { readObject } from '../body.ts';
import type { Call, Handle } from '../call.ts';
import { subjectOf } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Answer } from '../http.ts';
import { ok } from '../http.ts';
import { checkName, inNamespace } from '../names.ts';
import { isDryRun } from '../options.ts';
import { readPatchOptions } from '../patch-options.ts';
import { patchedObject, patchTypeOf } from '../patches.ts';
import type { ServedKind, Strategy } from '../strategy.ts';
import { keyOf } from './create.ts';
import { updateObject } from './update.ts';

interface Scale extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

const SCALE_KIND: ServedKind = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  resource: 'scales',
  namespaced: true,
};
const SCALE = { kind: SCALE_KIND, schema: kindSchema('autoscaling.v1.Scale') } as const;

const scaleOf = ({ metadata, spec, status }: Workload): Scale => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const identity = { name, namespace, uid, resourceVersion, creationTimestamp };
  const selector = selectorText(spec?.selector ?? {});
  const replicas = spec?.replicas ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: identity as Scale['metadata'],
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: status?.replicas ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
};

const faultsOf = ({ spec }: Scale): readonly FieldError[] => {
  const replicas = spec?.replicas ?? 0;
  return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
};

/** The workload with the replicas of a Scale; its version, if any, is the one that must be there. Throws 422. */
const scaled = (before: Workload, scale: Scale, call: Call): Workload => {
  const placed = inNamespace(scale, call);
  checkName(placed, call);
  const errors = faultsOf(placed);
  if (errors.length > 0) throw invalidObject(SCALE_KIND, before.metadata.name, errors);
  const { resourceVersion: _version, ...metadata } = before.metadata;
  const { resourceVersion, uid = before.metadata.uid } = placed.metadata;
  const given = { ...(resourceVersion === undefined ? {} : { resourceVersion }), ...(uid ? { uid } : {}) };
  return {
    ...before,
    metadata: { ...metadata, ...given },
    spec: { ...before.spec, replicas: placed.spec?.replicas ?? 0 },
  };
};

const shown = ({ status, body }: Answer): Answer => ({ status, body: scaleOf(body as Workload) });

const getScale: Handle<ApiServerDeps> = async (call, { log }) => {
  const row = await log.read(keyOf(call));
  if (row?.state !== 'live') throw notFound(subjectOf(call));
  return ok(scaleOf(row.object));
};

const replaceScale =
  (strategy: Strategy<Workload>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const dryRun = isDryRun(call.request, 'UpdateOptions');
    const scale = readObject<Scale>(call.request, SCALE.kind, SCALE.schema);
    const propose = (before: Workload): Workload => scaled(before, scale, call);
    return shown(await updateObject({ call, strategy, deps, propose, dryRun }));
  };

const patchScale =
  (strategy: Strategy<Workload>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { request } = call;
    const type = patchTypeOf(request);
    const { dryRun } = readPatchOptions(request, type);
    const propose = (before: Workload): Workload =>
      scaled(before, patchedObject(request, type, scaleOf(before), SCALE), call);
    return shown(await updateObject({ call, strategy, deps, propose, dryRun }));
  };

/** The subresource `scale` of a workload. */
export const scaleSubresource = (strategy: Strategy<Workload>) => ({
  scale: {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: { get: getScale, patch: patchScale(strategy), update: replaceScale(strategy) },
  },
});
