import { memoryStaticRun } from '../../support/agent/recorded/recorded-memory-static.ts';
import { type Replays, replay } from '../replay.ts';

export const TABLES: Replays = { 'memory-static': replay(memoryStaticRun) };
