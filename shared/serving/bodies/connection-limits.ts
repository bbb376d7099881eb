/** Semaphores: limits on how many of something, or how many bytes, are in use at a time. */
import type { StatusError } from '../../kube/errors/status-error.ts';

/** Releases a place. Calling it again does nothing. */
export type Leave = () => void;

/** A limited number of places. */
export interface Places {
  /** Takes one place, or `amount` places. Throws the refusal if fewer are free. */
  take(amount?: number): Leave;
  taken(): number;
}

/** A limited number of places for each key, such as an identity or address. */
export interface KeyedPlaces {
  /** Takes one place of the key, or `amount` places. Throws the refusal if fewer are free. */
  take(key: string, amount?: number): Leave;
  taken(key: string): number;
}

/** Takes all of the places, or none: if one is refused, releases the others and throws. */
export const takeAll = (takes: readonly (() => Leave)[]): Leave => {
  const taken: Leave[] = [];
  const leave = (): void => {
    for (const one of taken) one();
  };
  try {
    for (const take of takes) taken.push(take());
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
};

const once = (leave: () => void): Leave => {
  let isTaken = true;
  return () => {
    if (isTaken) leave();
    isTaken = false;
  };
};

/** Places for each key. Keys without taken places use no memory. */
export const createKeyedPlaces = (most: number, refusal: (key: string) => StatusError): KeyedPlaces => {
  const counts = new Map<string, number>();
  const taken = (key: string): number => counts.get(key) ?? 0;
  const leave = (key: string, amount: number): void => {
    const left = taken(key) - amount;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    taken,
    take: (key, amount = 1) => {
      if (taken(key) + amount > most) throw refusal(key);
      counts.set(key, taken(key) + amount);
      return once(() => leave(key, amount));
    },
  };
};

/** `most`: number of places. `refusal`: the error if none is free. */
export const createPlaces = (most: number, refusal: () => StatusError): Places => {
  const places = createKeyedPlaces(most, refusal);
  return { take: (amount) => places.take('', amount), taken: () => places.taken('') };
};
