/** POST to a pod's `binding` and to `bindings`: how a scheduler binds a pod to a node. */

import { inNamespace } from '../../kinds/contract/names.ts';
import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { notSupported, required, summarize } from '../../kube/errors/field-error.ts';
import type { ErrorSubject } from '../../kube/errors/status-error.ts';
import { badRequest, conflict, notFound } from '../../kube/errors/status-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject, ObjectReference } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ObjectKey, Row } from '../../ports/store/rows.ts';
import { bindingFault, bindPod } from '../../rules/pods/binding.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import { readObject } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';

/** The kind of a Binding and its resource `bindings`. */
export const BINDING_KIND: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Binding',
  resource: 'bindings',
  namespaced: true,
};
const SCHEMA = kindSchema('core.v1.Binding');

interface Binding extends ApiObject {
  readonly target?: ObjectReference;
}

const targetFaults = ({ target = {} }: Binding): readonly FieldError[] => [
  ...(!target.kind || target.kind === 'Node'
    ? []
    : [notSupported('target.kind', target.kind, ['Node', '<empty>'])]),
  ...(target.name ? [] : [required('target.name')]),
];

const readBinding = (call: Call): Binding => {
  const binding = inNamespace(readObject<Binding>(call.request, BINDING_KIND, SCHEMA), call.info.namespace);
  if (call.info.resource === 'pods' && binding.metadata.name !== call.info.name)
    throw badRequest('name in URL does not match name in Binding object');
  const faults = targetFaults(binding);
  if (faults.length > 0) throw badRequest(summarize(faults));
  return binding;
};

const storageConflict = ({ namespace, name }: ObjectKey, part: string, wanted: string, stored: string) =>
  conflict(
    { resource: 'pods', name },
    `StorageError: invalid object, Code: 4, Key: /registry/pods/${namespace}/${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${part} in precondition: ${wanted}, ${part} in object meta: ${stored}`,
  );

/** Throws 409 when the binding names the uid or resourceVersion of another pod, or of another state of it. */
const checkMeant = (key: ObjectKey, { metadata: wanted }: Binding, { metadata }: Pod): void => {
  const { uid = '', resourceVersion: version = '' } = metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid) throw storageConflict(key, 'UID', wanted.uid, uid);
  if (wanted.resourceVersion && wanted.resourceVersion !== version)
    throw storageConflict(key, 'ResourceVersion', wanted.resourceVersion, version);
};

const subject = (resource: string, { name }: ObjectKey): ErrorSubject => ({ resource, name });

const decideBinding = (key: ObjectKey, binding: Binding, row: Row | undefined, now: EpochMs): ObjectWrite => {
  if (row?.state !== 'live') throw notFound(subject('pods', key));
  const pod = row.object as Pod;
  checkMeant(key, binding, pod);
  const fault = bindingFault(pod);
  if (fault) throw conflict(subject('pods/binding', key), fault);
  const { annotations = {} } = binding.metadata;
  return { next: bindPod(pod, { nodeName: binding.target?.name ?? '', annotations }, now), writer: 'client' };
};

const DONE = created({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });

/** POST of a Binding. The node need not exist. Throws 400, 404 and 409. */
export const createBinding: Handle<ApiServerDeps> = async (call, deps) => {
  const dryRun = isDryRun(call.request, 'CreateOptions');
  const binding = readBinding(call);
  const key = { resource: 'pods', namespace: call.info.namespace, name: binding.metadata.name ?? '' };
  if (dryRun) decideBinding(key, binding, await deps.objects.read(key), deps.clock.now());
  else await deps.writer.write(key, (row, now) => decideBinding(key, binding, row, now));
  return DONE;
};
