import { describe, expect, it } from 'vitest';
import {
  forgottenZones,
  placeNews,
  type SiteNow,
  type Told,
  type ZoneNow,
} from '../../../../shared/rules/notifications/place-news.ts';
import { faultsOf } from '../../../support/objects/event-schemas.ts';

const NOW = 1_700_000_000_000;
const zone = (state: ZoneNow['state']): ZoneNow => ({ zone: 'a', state, size: 3, notReady: 1, rate: 0.1 });
const toldZone = (state: string): Told => new Map([['zone/a', { state, since: 7 }]]);
const site: SiteNow = { relay: 'r', lastBatchAt: NOW - 30_000, nodes: 40 };
const toldSite: Told = new Map([['site/r', { state: 'CutOff', since: NOW - 60_000 }]]);
const NONE: Told = new Map();

const told = (zones: readonly ZoneNow[], sites: readonly SiteNow[], before: Told) =>
  placeNews(zones, sites, before, NOW).map(({ event, next }) => [
    event && `${event.detailType} ${event.detail.severity} ${event.detail.id}`,
    next?.state,
  ]);
const newZone = (agoMs: number): Told => new Map([['zone/a', { state: 'New', since: NOW - agoMs }]]);

describe('news of zones and sites (J-271)', () => {
  it.each<[string, readonly ZoneNow[], readonly SiteNow[], Told, readonly unknown[]]>([
    ['a new zone', [zone('Normal')], [], NONE, [['ZoneStateChanged info zone/a/0/Normal', 'Normal']]],
    ['a zone that is new and down: it may come up', [zone('FullDisruption')], [], NONE, [[undefined, 'New']]],
    ['a new zone that is still down', [zone('FullDisruption')], [], newZone(59_999), []],
    [
      'a new zone that is up',
      [zone('Normal')],
      [],
      newZone(5_000),
      [[`ZoneStateChanged info zone/a/${NOW - 5_000}/Normal`, 'Normal']],
    ],
    [
      'a new zone that has not come up in a minute',
      [zone('FullDisruption')],
      [],
      newZone(60_000),
      [[`ZoneStateChanged critical zone/a/${NOW - 60_000}/FullDisruption`, 'FullDisruption']],
    ],
    [
      'a new zone that is down, by a clock that was set back',
      [zone('PartialDisruption')],
      [],
      newZone(-1),
      [[`ZoneStateChanged warning zone/a/${NOW + 1}/PartialDisruption`, 'PartialDisruption']],
    ],
    [
      'a zone that is disrupted in part',
      [zone('PartialDisruption')],
      [],
      toldZone('Normal'),
      [['ZoneStateChanged warning zone/a/7/PartialDisruption', 'PartialDisruption']],
    ],
    [
      'a zone that works again',
      [zone('Normal')],
      [],
      toldZone('FullDisruption'),
      [['ZoneStateChanged resolved zone/a/7/Normal', 'Normal']],
    ],
    ['a zone in the state that was told', [zone('Normal')], [], toldZone('Normal'), []],
    ['a zone that is gone', [], [], toldZone('FullDisruption'), []],
    ['a site', [], [site], NONE, [[`SitePartitioned critical site/r/${NOW - 30_000}/CutOff`, 'CutOff']]],
    ['a site that was told', [], [site], toldSite, []],
    [
      'a site that is back',
      [],
      [],
      toldSite,
      [[`SiteReturned resolved site/r/${NOW - 60_000}/Returned`, undefined]],
    ],
  ])('%s', (_, zones, sites, before, expected) => {
    expect(told(zones, sites, before)).toEqual(expected);
    for (const { event } of placeNews(zones, sites, before, NOW))
      expect(event ? faultsOf(event.detailType, event.detail) : []).toEqual([]);
  });

  it('a zone that is gone is forgotten, a site is not', () => {
    expect(forgottenZones([], new Map([...toldZone('Normal'), ...toldSite]))).toEqual(['zone/a']);
    expect(forgottenZones([zone('Normal')], toldZone('Normal'))).toEqual([]);
  });
});
