/** Reads what a pod asks for, and finds the first field of it that cannot be had. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';

/** A part of a specification as the API has it. */
export type Part = Readonly<Record<string, unknown>>;

/** What the pod asks for; `undefined`: nothing. */
export type Asked = string | undefined;

/** A field that cannot be had. */
export interface Refusal {
  /** Below `spec`, or below a container. */
  readonly field: string;
  readonly asked: (part: Part) => Asked;
  /** Why it cannot be had. */
  readonly why: string;
}

/** What is refused. */
export interface Refusals<R extends Refusal = Refusal> {
  readonly pod: readonly R[];
  readonly container: readonly R[];
  /** Of the pod, unless the container says otherwise. */
  readonly either: readonly R[];
}

export const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

export const partsOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(partOf) : []);

export const contextOf = (part: Part): Part => partOf(part['securityContext']);

export const text = (value: unknown): Asked =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const several = (value: unknown): Asked =>
  Array.isArray(value) && value.length > 0 ? `${value.length}` : undefined;

export const isSet = (value: unknown): Asked => (value === true ? 'true' : undefined);

export const isUnset = (value: unknown): Asked => (value === false ? 'false' : undefined);

/** The amounts that a pod or a container may take at most. */
export const limitsAsked = ({ resources }: Part): Asked => {
  const names = Object.keys(partOf(partOf(resources)['limits']));
  return names.length === 0 ? undefined : names.join(', ');
};

/** Whether one of the mounts of a container has this value. */
export const mountWith =
  (field: string, value: string) =>
  (part: Part): Asked =>
    partsOf(part['volumeMounts']).some((mount) => mount[field] === value) ? value : undefined;

/** All fields of the lists: below `spec`, and below a container. */
export const fieldsIn = ({ pod, container, either }: Refusals) => ({
  pod: [...pod, ...either].map(({ field }) => field),
  container: [...container, ...either].map(({ field }) => field),
});

const has = (part: Part, field: string): boolean =>
  field.split('.').reduce<unknown>((value, key) => partOf(value)[key], part) != null;

/** Why the container is not started; `undefined`: nothing that it asks for is in the lists. */
export const refusalIn = (lists: Refusals, { spec }: AgentPod, container: Container): string | undefined => {
  const ofPod = { part: spec as Part, at: 'spec' };
  const own = { part: container as Part, at: `spec.containers[${container.name}]` };
  const found = [
    ...lists.pod.map((refusal) => ({ refusal, ...ofPod })),
    ...lists.container.map((refusal) => ({ refusal, ...own })),
    ...lists.either.map((refusal) => ({ refusal, ...(has(container, refusal.field) ? own : ofPod) })),
  ];
  for (const { refusal, part, at } of found) {
    const asked = refusal.asked(part);
    if (asked !== undefined) return `${at}.${refusal.field}: ${asked} is not supported: ${refusal.why}`;
  }
  return undefined;
};
