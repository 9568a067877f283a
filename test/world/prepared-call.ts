import type { PreparedLaunch } from '../../k8s/model/machine.ts';
import { SECRETS } from '../../k8s/resources.ts';
import { aLaunch } from './builders/a-launch.ts';
import type { MachineFacts } from './builders/a-machine.ts';
import { aCredentialsSecret, aUserDataSecret } from './builders/a-secret.ts';
import { ownClock } from './world-clock.ts';
import { World, type WorldOptions } from './world.ts';

export const USER_DATA = 'the-secret-of-the-user-data';
/** The Machine's. */
export const UID = 'uid-of-m';

/** A Machine whose first attempt is prepared, and whose spec names other credentials by now; and how it is called. */
export function prepared(
  idempotency: PreparedLaunch['idempotency'] = 'token',
  options: WorldOptions = {},
  frozen: Pick<PreparedLaunch, 'account'> = {},
) {
  const world = new World(ownClock(), options);
  const { kube, cloud, clock } = world;
  kube.put(aUserDataSecret('boot', USER_DATA), aCredentialsSecret('frozen'), aCredentialsSecret('moved'));
  const { uid, resourceVersion } = kube.require(SECRETS, 'default', 'boot').metadata;
  const userData = { name: 'boot', uid, resourceVersion };
  const credentials = { namespace: 'default', secretName: 'frozen' };
  const parameters = { credentials, userDataSecret: 'boot' };
  const change = (facts: MachineFacts = { launch }) =>
    world.addMachine({ value: { credentialsSecret: { name: 'moved' } }, ...facts });
  const ref = { namespace: 'default', name: 'm', uid: UID };
  const launch = aLaunch(ref, { parameters, userData, idempotency, ...frozen });
  const target = change();
  const request = { ...target, clusterName: 'c1', launch, lookFirst: false };
  return {
    world,
    cloud,
    launch,
    request,
    /** Has the Machine be so by now. */
    change,
    launches: () => cloud.asked('launch'),
    call: (lookFirst = false, scheduledAgoMs = 0) => {
      const info = { isLocal: false, currentAttemptScheduledTimestampMs: clock.timeOfDay() - scheduledAgoMs };
      return world.run((own) => own.launchInstance({ ...request, lookFirst }), info);
    },
    callCancelled: () =>
      world.run(
        (own) => own.launchInstance(request),
        { isLocal: false },
        (environment) => environment.cancel('TIMED_OUT'),
      ),
  };
}
