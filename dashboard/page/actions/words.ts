/** What actions and fates are called on the page. Pure. */
import type { Node, Taint } from '../../../shared/kube/types/core.ts';
import { TAINT_UNSCHEDULABLE } from '../../../shared/kube/types/well-known.ts';
import type { ActionName, ActionPreview } from '../../wire/actions.ts';

/** An action as its button and its dialog name it. */
export interface ActionWords {
  readonly button: string;
  readonly title: (node: string) => string;
  readonly confirm: (node: string) => string;
}

export const WORDS: Readonly<Record<ActionName, ActionWords>> = {
  cordon: { button: 'Cordon…', title: (node) => `Cordon ${node}?`, confirm: (node) => `Cordon ${node}` },
  uncordon: {
    button: 'Uncordon…',
    title: (node) => `Uncordon ${node}?`,
    confirm: (node) => `Uncordon ${node}`,
  },
  drain: { button: 'Drain…', title: (node) => `Drain ${node}?`, confirm: (node) => `Drain ${node}` },
  taint: { button: 'Taint…', title: (node) => `Taint ${node}?`, confirm: (node) => `Taint ${node}` },
  untaint: {
    button: 'Remove a taint…',
    title: (node) => `Remove a taint of ${node}?`,
    confirm: (node) => `Remove the taint of ${node}`,
  },
  outOfService: {
    button: 'Out of service…',
    title: (node) => `Set ${node} out of service?`,
    confirm: (node) => `Set ${node} out of service`,
  },
};

type Fate = ActionPreview['pods'][number]['fate'];

/** Fates in the order of the dialog. */
export const FATES: Readonly<Record<Fate, string>> = {
  goes: 'Go at once',
  later: 'Go later',
  inTurn: 'Go in turn',
  held: 'Held for now',
  ending: 'Going already',
  stays: 'Stay',
};

/** The taints that somebody may want to take off. That of a cordon goes with the cordon. */
export const removableTaints = ({ spec }: Node): readonly Taint[] =>
  (spec?.taints ?? []).filter(({ key }) => key !== TAINT_UNSCHEDULABLE);

/** The actions that make sense for a node, in the order of their buttons. */
export const actionsFor = (node: Node, offered: readonly ActionName[]): readonly ActionName[] => {
  const leftOut: readonly ActionName[] = [
    node.spec?.unschedulable === true ? 'cordon' : 'uncordon',
    ...(removableTaints(node).length === 0 ? (['untaint'] as const) : []),
  ];
  return offered.filter((one) => !leftOut.includes(one));
};

/** Whether a version of an object is newer than another one. Versions of Rollcall are numbers. */
export const isNewer = (version: string | undefined, than: string): boolean =>
  /^\d+$/.test(version ?? '') && /^\d+$/.test(than) && BigInt(version ?? '') > BigInt(than);
