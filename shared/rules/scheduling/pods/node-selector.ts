/** Node selectors: which nodes match their terms. Source: kubernetes v1.34 component-helpers `nodeaffinity`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { NodeSelector } from '../../../kube/types/affinity.ts';
import type { Node } from '../../../kube/types/core.ts';

/** One of the terms of a node selector; a node must meet all its requirements. */
export type NodeSelectorTerm = NonNullable<NodeSelector['nodeSelectorTerms']>[number];

type Requirement = NonNullable<NodeSelectorTerm['matchExpressions']>[number];

/** Judges one node. */
export type NodeMatch = (node: Node) => boolean;

/** A whole number as Go reads it: 64 bits, with a sign or without; `undefined` for anything else. */
const integerOf = (text: string | undefined): bigint | undefined => {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
};

const compares = (label: string | undefined, bound: bigint | undefined, isAbove: boolean): boolean => {
  const value = integerOf(label);
  if (value === undefined || bound === undefined) return false;
  return isAbove ? value > bound : value < bound;
};

/** Judges the value of a label. A requirement that cannot be read is never met. */
const valueMatch = ({
  operator = '',
  values = [],
}: Requirement): ((value: string | undefined) => boolean) => {
  const wanted = new Set(values);
  const bound = values.length === 1 ? integerOf(values[0]) : undefined;
  switch (operator) {
    case 'In':
      return (value) => value !== undefined && wanted.has(value);
    case 'NotIn':
      return (value) => value === undefined || !wanted.has(value);
    case 'Exists':
      return (value) => value !== undefined;
    case 'DoesNotExist':
      return (value) => value === undefined;
    case 'Gt':
      return (value) => compares(value, bound, true);
    case 'Lt':
      return (value) => compares(value, bound, false);
    default:
      return () => false;
  }
};

const labelMatch = (requirement: Requirement): NodeMatch => {
  const { key = '' } = requirement;
  const matches = valueMatch(requirement);
  return ({ metadata }) => matches(ownMember(metadata.labels, key));
};

/** The one field of a node that can be selected is its name, by exactly one value. */
const fieldMatch = (requirement: Requirement): NodeMatch => {
  const { key, operator = '', values = [] } = requirement;
  if (key !== 'metadata.name' || !['In', 'NotIn'].includes(operator) || values.length !== 1)
    return () => false;
  const matches = valueMatch(requirement);
  return ({ metadata }) => matches(metadata.name);
};

/** Reads a term, so that many nodes can be judged by it. A term without requirements matches no node. */
export const termMatch = (term: NodeSelectorTerm): NodeMatch => {
  const { matchExpressions = [], matchFields = [] } = term;
  const all = [...matchExpressions.map(labelMatch), ...matchFields.map(fieldMatch)];
  return (node) => all.length > 0 && all.every((matches) => matches(node));
};

/** Reads a node selector: a node must match one of its terms. */
export const nodeSelectorMatch = ({ nodeSelectorTerms = [] }: NodeSelector): NodeMatch => {
  const terms = nodeSelectorTerms.map(termMatch);
  return (node) => terms.some((matches) => matches(node));
};
