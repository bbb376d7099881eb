/** The fields of the actions that have values, and what is read from them. */
import { html, nothing } from 'lit';
import type { Node, Taint } from '../../../shared/kube/types/core.ts';
import { taintText } from '../../../shared/rules/roll-call/taint-text.ts';
import type { ActionName, PreviewRequest } from '../../wire/actions.ts';
import { removableTaints } from './words.ts';

const drainFields = html`
  <label class="choice"><input type="checkbox" name="force" />
    <span>Also pods that no controller makes again <code>force</code></span></label>
  <label class="choice"><input type="checkbox" name="deleteEmptyDirData" />
    <span>Also pods that lose the data of an emptyDir <code>deleteEmptyDirData</code></span></label>
  <label>Give up after (minutes) <input type="number" name="timeout" min="1" max="525600" step="any" inputmode="decimal"
    placeholder="never" /></label>
  <label>Reason <input name="reason" maxlength="256" autocomplete="off" placeholder="shown in events" /></label>
`;

const EFFECTS: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const taintFields = html`
  <label>Key <input name="key" required autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.com/repair" autofocus /></label>
  <label>Value <input name="value" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="none" /></label>
  <label>Effect <select name="effect">${EFFECTS.map((one) => html`<option>${one}</option>`)}</select></label>
`;

const untaintFields = (node: Node) => html`
  <label>Taint <select name="taint" autofocus>${removableTaints(node).map(
    (taint, index) => html`<option value=${index}>${taintText(taint)}</option>`,
  )}</select></label>
`;

/** The fields of an action; nothing for one without values. `node`: as it was when the dialog was opened. */
export const fieldsOf = (action: ActionName, node: Node) => {
  if (action === 'drain') return drainFields;
  if (action === 'taint') return taintFields;
  return action === 'untaint' ? untaintFields(node) : nothing;
};

const textIn = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

const drainIn = (data: FormData): Pick<PreviewRequest, 'drain'> => {
  const [minutes, reason] = [textIn(data, 'timeout'), textIn(data, 'reason')];
  return {
    drain: {
      ...(data.has('force') ? { force: true } : {}),
      ...(data.has('deleteEmptyDirData') ? { deleteEmptyDirData: true } : {}),
      ...(minutes === '' ? {} : { timeoutSeconds: Math.round(Number(minutes) * 60) }),
      ...(reason === '' ? {} : { reason }),
    },
  };
};

/** The request for these values; `undefined`: something is missing. */
export const requestIn = (
  action: ActionName,
  node: Node,
  form: HTMLFormElement,
): PreviewRequest | undefined => {
  const data = new FormData(form);
  const asked = { node: node.metadata.name, action };
  if (action === 'drain') return { ...asked, ...drainIn(data) };
  if (action === 'taint') {
    const [key, value] = [textIn(data, 'key'), textIn(data, 'value')];
    const effect = textIn(data, 'effect') as Taint['effect'];
    return key === '' ? undefined : { ...asked, taint: { key, value, effect } };
  }
  if (action !== 'untaint') return asked;
  const taint = removableTaints(node)[Number(textIn(data, 'taint'))];
  return taint && { ...asked, taint: { key: taint.key, effect: taint.effect } };
};
