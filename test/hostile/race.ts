/** An enemy that swaps folders of its volume for links to files of the machine, in each test of a file. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { type Racer, startRacer } from '../support/agent/trees/racer.ts';

const FOLDERS = 4;
/** How often a walk has the chance to do harm. */
const TRIES = 50_000;

/** Makes a place before each test, and ends the enemy after it. */
export const hostileRace = () => {
  let place: HostilePlace;
  let racer: Racer | undefined;
  beforeEach(() => {
    place = hostilePlace();
  });
  afterEach(async () => {
    await racer?.end();
    racer = undefined;
    rmSync(place.root, { recursive: true, force: true });
  });
  const begin = async (): Promise<Racer> => {
    racer = await startRacer(place.volume, place.foreign, FOLDERS);
    return racer;
  };
  return {
    place: () => place,
    begin,
    /** Expects that a walk by path does harm to a file of the machine. */
    harms: async (walk: (path: string) => void): Promise<void> => {
      const before = place.facts().join();
      await begin();
      let tries = 0;
      // The enemy stays in the volume, so that stays.
      for (; tries < TRIES && place.facts().join() === before; tries += 1)
        for (const name of readdirSync(place.volume)) walk(join(place.volume, name));
      expect(tries).toBeLessThan(TRIES);
    },
  };
};
