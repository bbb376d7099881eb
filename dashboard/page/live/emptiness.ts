/** Why a view has no node to show. Pure. */
import type { Standing } from './standing.ts';

/** Why there is no node; `live` is told apart by the selectors. */
export type Emptiness = 'loading' | 'failed' | 'filtered' | 'empty' | 'badFilter';

type Selected = Readonly<Record<'labelSelector' | 'fieldSelector', string>>;

/** Which of them holds. */
export const emptinessOf = (standing: Standing, { labelSelector, fieldSelector }: Selected): Emptiness => {
  const isFiltered = labelSelector !== '' || fieldSelector !== '';
  if (standing.is === 'live') return isFiltered ? 'filtered' : 'empty';
  if (standing.is === 'refused' && standing.who === 'page') return 'badFilter';
  return standing.is === 'lost' || standing.is === 'refused' || standing.is === 'not allowed'
    ? 'failed'
    : 'loading';
};

/** What to do next. */
export const EMPTINESS_STEPS: Readonly<Record<Emptiness, string>> = {
  loading: '',
  failed: ' No node is known here. The page tries again by itself.',
  filtered: 'No node matches these labels and fields. Empty them and press Filter to see all nodes.',
  badFilter: ' Mend Labels or Fields, or empty them, and press Filter.',
  empty:
    'No node has registered yet. `rollcall token --bootstrap --print-join` prints the line that makes a machine one.',
};
