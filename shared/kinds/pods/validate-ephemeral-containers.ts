/** Rules for ephemeral containers of a Pod after defaulting. Source: core validation v1.34 `validateEphemeralContainers`, `ValidatePodEphemeralContainersUpdate`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, forbiddenField, notFoundValue } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Pod, PodSpec } from '../../kube/types/core.ts';
import { type Container, type PodContext, validateContainer } from '../containers/container.ts';
import type { VolumeMount } from '../containers/mounts.ts';
import { podContextOf } from '../pod-spec/pod-spec.ts';
import { MIRROR, validateMirrorUpdate } from './validate-pod.ts';

const FIELD = 'spec.ephemeralContainers';
const NOT_HERE = 'cannot be set for an Ephemeral Container';

const REFUSED = [
  ...(['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules', 'lifecycle'] as const),
  ...(['livenessProbe', 'readinessProbe', 'startupProbe'] as const),
];

const containersOf = (spec: PodSpec, list: string): readonly Container[] =>
  (spec[list] ?? []) as readonly Container[];

export const ephemeralContainersOf = (spec: PodSpec): readonly Container[] =>
  containersOf(spec, 'ephemeralContainers');

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;

const mountFaults = (mount: VolumeMount, at: string): readonly FieldError[] =>
  (['subPath', 'subPathExpr'] as const)
    .filter((field) => mount[field])
    .map((field) => forbiddenField(`${at}.${field}`, NOT_HERE));

const targetFaults = (
  { targetContainerName: target }: Container,
  others: ReadonlySet<string>,
  at: string,
): readonly FieldError[] =>
  typeof target === 'string' && target !== '' && !others.has(target)
    ? [notFoundValue(`${at}.targetContainerName`, target)]
    : [];

const containerFaults = (
  container: Container,
  context: PodContext,
  others: ReadonlySet<string>,
  at: string,
): readonly FieldError[] => [
  ...validateContainer(container, context, at),
  ...targetFaults(container, others, at),
  ...REFUSED.filter((field) => isSet(container[field])).map((field) =>
    forbiddenField(`${at}.${field}`, NOT_HERE),
  ),
  ...(container.volumeMounts ?? []).flatMap((mount, index) =>
    mountFaults(mount, `${at}.volumeMounts[${index}]`),
  ),
];

const listFaults = (spec: PodSpec): readonly FieldError[] => {
  const context = podContextOf(spec);
  const others = new Set(
    ['containers', 'initContainers'].flatMap((list) => containersOf(spec, list).map(({ name = '' }) => name)),
  );
  const names = new Set(others);
  return ephemeralContainersOf(spec).flatMap((container, index) => {
    const at = `${FIELD}[${index}]`;
    const { name = '' } = container;
    const twice = name !== '' && names.has(name);
    names.add(name);
    return [
      ...containerFaults(container, context, others, at),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
};

/** A patch does not keep their order. */
const changeFaults = (after: PodSpec, before: PodSpec): readonly FieldError[] =>
  ephemeralContainersOf(before).flatMap((old) => {
    const now = ephemeralContainersOf(after).find(({ name }) => name === old.name);
    if (now && deepEqual(now, old)) return [];
    const what = now ? 'changed' : 'removed';
    return [forbiddenField(FIELD, `existing ephemeral containers "${old.name}" may not be ${what}\n`)];
  });

/** Rules for a Pod whose ephemeral containers were changed, and nothing else. */
export const validateEphemeralContainersUpdate = (after: Pod, before: Pod): readonly FieldError[] => {
  if (before.metadata.annotations?.[MIRROR] !== undefined)
    return [forbiddenField('', 'static pods do not support ephemeral containers')];
  return [
    ...validateMirrorUpdate(after, before),
    ...listFaults(after.spec),
    ...changeFaults(after.spec, before.spec),
  ];
};
