import { parseReserved } from '../../../agent/rules/node/reserved.ts';
import { nodeLabelsFault } from '../../../agent/rules/registration/labels-flag.ts';
import { parseTaints } from '../../../agent/rules/registration/taints-flag.ts';
import { quantityText } from '../../../shared/kube/values/quantity.ts';
import { type Replays, replay } from '../replay.ts';

type Texts = Readonly<Record<string, string>>;

export const TABLES: Replays = {
  'node-labels-flag': replay((labels: Texts) => nodeLabelsFault(labels) ?? null),
  'taints-flag': replay((texts: readonly string[]) => {
    const parsed = parseTaints(texts);
    if ('error' in parsed) return { error: parsed.error, removed: 0, taints: [] };
    return { error: null, removed: parsed.removed.length, taints: parsed.taints };
  }),
  'reserved-parse': replay((given: Texts) => {
    const parsed = parseReserved(given);
    if ('error' in parsed) return { error: parsed.error, resources: {} };
    const resources = [...parsed].map(([name, amount]) => [name, quantityText(amount)]);
    return { error: null, resources: Object.fromEntries(resources) };
  }),
};
