/** Which tables of which stack a command works on. */

import {
  tablesForFleet,
  type WantedTables,
  wantedTables,
} from '../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';
import type { BeatingFleet, CapacityUnits } from '../../shared/settings/aws/heartbeat-capacity.ts';
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';
import { generationIn, heartbeatCapacityIn, isPausedIn } from './stack-state.ts';

/** What a command line chooses. */
export interface StackChoice {
  readonly stack: string;
  /** Absent: that of the stack. */
  readonly generation?: number | undefined;
  /** Units of the table of heartbeats, or that it has none; absent: as the stack has them. */
  readonly heartbeatUnits?: CapacityUnits | 'none' | undefined;
  /** An instant, as it was given. */
  readonly at?: string | undefined;
}

/** A stack as it is deployed; absent: there is none. */
interface Deployed {
  readonly generation: number;
  readonly isPaused: boolean;
  /** Whose beats have provisioned capacity. */
  readonly fleet: BeatingFleet | undefined;
}

/** What is deployed. Throws a `CommandError` if that cannot be read. */
export const deployedOf = async (
  stack: string,
  { stackOutputs }: CommandContext,
): Promise<Deployed | undefined> => {
  try {
    const outputs = await stackOutputs(stack);
    return {
      generation: generationIn(outputs),
      isPaused: isPausedIn(outputs),
      fleet: heartbeatCapacityIn(outputs),
    };
  } catch (error) {
    const reason = reasonOf(error);
    if (/does not exist/i.test(reason)) return undefined;
    throw new CommandError(`cannot read the stack ${stack}: ${reason}`);
  }
};

/** The tables as they are chosen; else as the stack has them. */
export const tablesWantedBy = (
  { heartbeatUnits }: Pick<StackChoice, 'heartbeatUnits'>,
  deployed: Pick<Deployed, 'fleet'> | undefined,
): WantedTables => {
  if (heartbeatUnits === 'none') return wantedTables();
  return heartbeatUnits ? wantedTables(heartbeatUnits) : tablesForFleet(deployed?.fleet);
};
