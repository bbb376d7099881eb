/** The subresource `scale` of workloads: their replicas as an autoscaling/v1 Scale. */

import { checkName, inNamespace } from '../../kinds/contract/names.ts';
import type { ServedKind, Strategy } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidObject, invalidValue } from '../../kube/errors/field-error.ts';
import { notFound } from '../../kube/errors/status-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import { selectorText } from '../../kube/selector/object-selector.ts';
import type { ApiObject, LabelSelector } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { readObject } from '../body/body.ts';
import { patchedObject, patchTypeOf } from '../body/patches.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';
import { readPatchOptions } from '../request/patch-options.ts';
import { keyOf } from './create.ts';
import { updateObject } from './update.ts';

interface Scale extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** A workload that can be scaled. */
interface Scalable extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** Returns the selector of a workload's pods. */
type SelectorOf<T extends Scalable> = (object: T) => LabelSelector | undefined;

const SCALE_KIND: ServedKind = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  resource: 'scales',
  namespaced: true,
};
const SCALE = { kind: SCALE_KIND, schema: kindSchema('autoscaling.v1.Scale') } as const;

const scaleOf = <T extends Scalable>(object: T, selectorOf: SelectorOf<T>): Scale => {
  const { metadata, spec, status } = object;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const identity = { name, namespace, uid, resourceVersion, creationTimestamp };
  const selector = selectorText(selectorOf(object) ?? {});
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

/**
 * The workload with the replicas of a Scale. The resourceVersion of the Scale, if any, must be the stored one.
 * Throws 422.
 */
const scaled = <T extends Scalable>(before: T, scale: Scale, call: Call): T => {
  const placed = inNamespace(scale, call.info.namespace);
  checkName(placed, call.info.name);
  const errors = faultsOf(placed);
  if (errors.length > 0) throw invalidObject(SCALE_KIND, before.metadata.name, errors);
  const { resourceVersion: _version, ...metadata } = before.metadata;
  const { resourceVersion, uid = before.metadata.uid } = placed.metadata;
  const given = { ...optional('resourceVersion', resourceVersion), ...(uid ? { uid } : {}) };
  return {
    ...before,
    metadata: { ...metadata, ...given },
    spec: { ...before.spec, replicas: placed.spec?.replicas ?? 0 },
  };
};

interface Scaling<T extends Scalable> {
  readonly strategy: Strategy<T>;
  readonly selectorOf: SelectorOf<T>;
}

const shown = <T extends Scalable>({ status, body }: Answer, { selectorOf }: Scaling<T>): Answer => ({
  status,
  body: scaleOf(body as T, selectorOf),
});

const getScale =
  <T extends Scalable>({ selectorOf }: Scaling<T>): Handle<ApiServerDeps> =>
  async (call, { objects }) => {
    const row = await objects.read(keyOf(call));
    if (row?.state !== 'live') throw notFound(subjectOf(call));
    return ok(scaleOf(row.object as T, selectorOf));
  };

const replaceScale =
  <T extends Scalable>(scaling: Scaling<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const dryRun = isDryRun(call.request, 'UpdateOptions');
    const scale = readObject<Scale>(call.request, SCALE.kind, SCALE.schema);
    const propose = (before: T): T => scaled(before, scale, call);
    const { strategy } = scaling;
    return shown(await updateObject({ call, strategy, deps, propose, dryRun }), scaling);
  };

const patchScale =
  <T extends Scalable>(scaling: Scaling<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { request } = call;
    const type = patchTypeOf(request);
    const { dryRun } = readPatchOptions(request, type);
    const propose = (before: T): T =>
      scaled(before, patchedObject(request, type, scaleOf(before, scaling.selectorOf), SCALE), call);
    const { strategy } = scaling;
    return shown(await updateObject({ call, strategy, deps, propose, dryRun }), scaling);
  };

/** The subresource `scale` of a workload. */
export const scaleSubresource = <T extends Scalable>(strategy: Strategy<T>, selectorOf: SelectorOf<T>) => {
  const scaling = { strategy, selectorOf };
  return {
    scale: {
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: { get: getScale(scaling), patch: patchScale(scaling), update: replaceScale(scaling) },
    },
  };
};
