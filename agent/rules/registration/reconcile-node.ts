/** What an agent that starts again changes in the Node that is there. Source: kubernetes v1.34 pkg/kubelet `tryRegisterWithAPIServer`. */
import type { Node } from '../../../shared/kube/types/core.ts';
import { KUBELET_LABELS } from '../../../shared/kube/types/kubelet-labels.ts';
import { compareQuantities } from '../../../shared/kube/values/quantity.ts';
import { isExtendedResource } from '../../../shared/kube/values/resource-names.ts';
import { ISOLATION_LABEL } from '../pods/isolation.ts';
import { ANNOTATION_CONTROLLER_MANAGED_ATTACH } from './initial-node.ts';

type Texts = Readonly<Record<string, string>>;

/** The parts of a Node that are reconciled, and whether they have to be written. */
interface Part {
  readonly annotations: Texts;
  readonly labels: Texts;
  readonly capacity: Texts;
  readonly allocatable: Texts;
}

interface Step {
  readonly part: Part;
  readonly isChanged: boolean;
}

type Rule = (part: Part, fresh: Node) => Step;

const without = (texts: Texts, isGone: (key: string) => boolean): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !isGone(key)));

/** A missing annotation and an empty one are the same. */
const annotation: Rule = (part, { metadata }) => {
  const key = ANNOTATION_CONTROLLER_MANAGED_ATTACH;
  const wanted = metadata.annotations?.[key];
  if ((wanted ?? '') === (part.annotations[key] ?? '')) return { part, isChanged: false };
  const annotations =
    wanted === undefined
      ? without(part.annotations, (one) => one === key)
      : { ...part.annotations, [key]: wanted };
  return { part: { ...part, annotations }, isChanged: true };
};

const LABEL_WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

/** The labels that each start sets again. Others are set when the Node is created, and never after that. */
const DEFAULT_LABELS: readonly string[] = [...KUBELET_LABELS, LABEL_WINDOWS_BUILD, ISOLATION_LABEL];

const labels: Rule = (part, { metadata }) => {
  const given = Object.entries(metadata.labels ?? {}).filter(([key]) => DEFAULT_LABELS.includes(key));
  const wanted = { ...part.labels, ...Object.fromEntries(given) };
  const isChanged = given.some(([key, value]) => (part.labels[key] ?? '') !== value);
  const emptied = new Set(given.flatMap(([key, value]) => (value === '' ? [key] : [])));
  return { part: { ...part, labels: without(wanted, (key) => emptied.has(key)) }, isChanged };
};

/** A Node without any amounts gets those of the machine. */
const amounts: Rule = (part, { status }) => {
  const isNew = (list: 'capacity' | 'allocatable'): boolean =>
    Object.keys(part[list]).length === 0 && Object.keys(status?.[list] ?? {}).length > 0;
  return {
    part: {
      ...part,
      capacity: isNew('capacity') ? (status?.capacity ?? {}) : part.capacity,
      allocatable: isNew('allocatable') ? (status?.allocatable ?? {}) : part.allocatable,
    },
    isChanged: isNew('capacity') || isNew('allocatable'),
  };
};

/** Devices of a machine that was made anew are unknown until their plugins report them. */
const withoutDevices: Rule = (part) => {
  const devices = Object.keys(part.capacity).filter(isExtendedResource);
  const none = Object.fromEntries(devices.map((device) => [device, '0']));
  return {
    part: {
      ...part,
      capacity: { ...part.capacity, ...none },
      allocatable: { ...part.allocatable, ...none },
    },
    isChanged: devices.length > 0,
  };
};

const isHugePages = (resource: string): boolean => resource.startsWith('hugepages-');

/** Sizes that the machine has. Allocatable ones that nobody names are 0. */
const hugePagesOf = ({ status: { capacity = {}, allocatable = {} } = {} }: Node) =>
  Object.entries(capacity)
    .filter(([resource]) => isHugePages(resource))
    .map(([resource, amount]) => ({ resource, amount, usable: allocatable[resource] ?? '0' }));

const hugePages: Rule = (part, fresh) => {
  const wanted = hugePagesOf(fresh);
  const changed = wanted.map(({ resource, amount, usable }) => {
    const known = part.capacity[resource];
    return {
      resource,
      capacity: known === undefined || compareQuantities(known, amount) !== 0 ? amount : undefined,
      allocatable:
        known === undefined || compareQuantities(part.allocatable[resource] ?? '0', usable) !== 0
          ? usable
          : undefined,
    };
  });
  const gone = new Set(Object.keys(part.capacity).filter(isHugePages));
  for (const { resource } of wanted) gone.delete(resource);
  const updated = (list: 'capacity' | 'allocatable'): Texts => {
    const news = changed.flatMap((one) => (one[list] === undefined ? [] : [[one.resource, one[list]]]));
    return without({ ...part[list], ...Object.fromEntries(news) }, (resource) => gone.has(resource));
  };
  return {
    part: { ...part, capacity: updated('capacity'), allocatable: updated('allocatable') },
    isChanged:
      gone.size > 0 || changed.some((one) => one.capacity !== undefined || one.allocatable !== undefined),
  };
};

const partOf = ({ metadata, status }: Node): Part => ({
  annotations: metadata.annotations ?? {},
  labels: metadata.labels ?? {},
  capacity: status?.capacity ?? {},
  allocatable: status?.allocatable ?? {},
});

const withPart = (node: Node, { annotations, labels: named, capacity, allocatable }: Part): Node => ({
  ...node,
  metadata: { ...node.metadata, annotations, labels: named },
  status: { ...node.status, capacity, allocatable },
});

/**
 * `existing` as it is to be; `undefined` if nothing has to be written. Taints, `unschedulable`, `providerID`, other labels and other
 * annotations stay as they are. `isRecreated`: the machine was made anew, so that its devices are unknown.
 */
export const reconciledNode = (existing: Node, fresh: Node, isRecreated: boolean): Node | undefined => {
  const rules: readonly Rule[] = [
    annotation,
    labels,
    amounts,
    ...(isRecreated ? [withoutDevices] : []),
    hugePages,
  ];
  let [part, isChanged] = [partOf(existing), false];
  for (const rule of rules) {
    const step = rule(part, fresh);
    [part, isChanged] = [step.part, isChanged || step.isChanged];
  }
  return isChanged ? withPart(existing, part) : undefined;
};
