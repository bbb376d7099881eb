import { isListed, unknownControllers } from '../shared/settings/controller-list.ts';
import { InvalidSettingsError } from '../shared/settings/invalid-settings.ts';
import { CONTROLLERS, type ControllerName } from './controllers.ts';

const NAMES = CONTROLLERS.map(({ name }) => name);

/**
 * The controllers that run with this value of the setting `controllers`. Throws an `InvalidSettingsError` if a name is unknown, or
 * if a list leaves none.
 */
export const runningControllers = (list: string): readonly ControllerName[] => {
  const running = NAMES.filter((name) => isListed(list, name));
  const [unknown] = unknownControllers(list, NAMES);
  const names = `the controllers are ${NAMES.join(', ')}`;
  if (unknown !== undefined)
    throw new InvalidSettingsError(`controllers: ${JSON.stringify(unknown)} is no controller; ${names}`);
  if (running.length === 0 && list !== 'none')
    throw new InvalidSettingsError(
      `controllers: ${JSON.stringify(list)} leaves none; give "none", or begin with "*"`,
    );
  return running;
};
