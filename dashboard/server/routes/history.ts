/** `/data/history`: the record of the fleet in pages. The query says how much of each list the page has. */

import { optional } from '../../../shared/kube/values/optional.ts';
import { type HistoryPosition, NOTHING_READ, pageAfter } from '../../../shared/rules/history/history-page.ts';
import type { HistoryService } from '../history/history-service.ts';
import type { DashboardAnswer, DataRoute } from './route.ts';

/** Members of each list in a page. */
const MOST_MEMBERS = 20_000;

const positionIn = (query: URLSearchParams): HistoryPosition => {
  const numbers = Object.keys(NOTHING_READ).map(
    (name) => [name, Number(query.get(name) ?? Number.NaN)] as const,
  );
  const isWhole = numbers.every(([, number]) => Number.isSafeInteger(number));
  return isWhole ? (Object.fromEntries(numbers) as unknown as HistoryPosition) : NOTHING_READ;
};

const answer = async (query: URLSearchParams, history: HistoryService): Promise<DashboardAnswer> => {
  const recorder = await history.asked();
  const page = pageAfter(recorder.record(), recorder.epoch, positionIn(query), MOST_MEMBERS);
  const problem = history.problem();
  return {
    status: 200,
    body: { ...page, isLive: history.isCaughtUp(), ...optional('problem', problem) },
  };
};

export const historyRoute: DataRoute = ({ path, query }, { history }) =>
  path === '/history' ? answer(query, history) : undefined;
