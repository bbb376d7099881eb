/** Faults that AWS has at any time and LocalStack never: it throttles, transactions meet, and an answer is lost after the request was done. */
import type { Chance } from '../../../shared/adapters/hostile/chance.ts';

/** What happens to a request. `lost`: it is done, and its connection is cut. */
export type Fault = 'throttled' | 'conflict' | 'lost';

/** Draws the fault of a request; `undefined`: it has none. */
export type DrawFault = (target: string) => Fault | undefined;

const TRANSACTION = /\.TransactWriteItems$/;
/** Reads of a batch of messages are LocalStack's own. */
const THROTTLED = /^(DynamoDB_20120810|AmazonSQS|AWSEvents)\./;

const faultsOf = (target: string): readonly Fault[] => {
  if (!THROTTLED.test(target)) return [];
  return TRANSACTION.test(target) ? ['throttled', 'conflict', 'lost'] : ['throttled', 'lost'];
};

/** `share` of the requests have a fault, each kind as often as the others. */
export const createFaults =
  (share: number, { hit, upTo }: Pick<Chance, 'hit' | 'upTo'>): DrawFault =>
  (target) => {
    const kinds = faultsOf(target);
    return hit(share) ? kinds[Math.floor(upTo(kinds.length))] : undefined;
  };

const error = (type: string, more: object = {}) =>
  JSON.stringify({ __type: `com.amazonaws#${type}`, message: type, ...more });

/** The body of the answer, of status 400. */
export const faultAnswer = (fault: Exclude<Fault, 'lost'>, body: string): string => {
  if (fault === 'throttled') return error('ThrottlingException');
  const { TransactItems = [] } = JSON.parse(body) as { TransactItems?: readonly object[] };
  const CancellationReasons = TransactItems.map((_, index) => ({
    Code: index === 0 ? 'TransactionConflict' : 'None',
  }));
  return error('TransactionCanceledException', { CancellationReasons });
};
