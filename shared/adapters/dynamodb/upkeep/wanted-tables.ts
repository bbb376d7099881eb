/** The tables that a stack wants. */
import {
  type BeatingFleet,
  type CapacityUnits,
  capacityUnits,
} from '../../../settings/aws/heartbeat-capacity.ts';
import { TABLES } from '../table/schema.ts';
import type { TableName } from './names.ts';
import type { WantedTable } from './table-admin.ts';

export type WantedTables = Readonly<Record<TableName, WantedTable>>;

/** `capacity`: of the table of heartbeats; absent: all are billed by request. */
export const wantedTables = (capacity?: CapacityUnits): WantedTables =>
  capacity ? { ...TABLES, heartbeats: { ...TABLES.heartbeats, capacity } } : TABLES;

/** `fleet`: whose beats have provisioned capacity; absent: all tables are billed by request. */
export const tablesForFleet = (fleet: BeatingFleet | undefined): WantedTables =>
  wantedTables(fleet && capacityUnits(fleet));
