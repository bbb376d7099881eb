/** The addresses at which other machines find this one. */
import { networkInterfaces } from 'node:os';

const ANY = ['0.0.0.0', '::'];

/** Whether a server that listens there has all addresses of its machine. */
export const isAnyAddress = (host: string): boolean => ANY.includes(host);

const LINK_LOCAL = /^(fe[89ab]|169\.254\.)/i;

/** IPv4 first. Without loopback, and without those that count only on one cable. */
export const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .map(({ address }) => address)
    .toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
