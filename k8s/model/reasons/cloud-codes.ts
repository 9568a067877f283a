import type { ProviderErrorCode, RetryClass } from '../../../providers/provider-error.ts';
import type { ReasonRow } from './reason-row.ts';

/** What to tell of a failure by its class. A cloud's own codes cannot be listed: of them the class alone is known. */
export const CLASSES = {
  exhausted: {
    waitsFor: 'room in the cloud (capacity or quota)',
    toDo: 'Have the quota raised, or choose another instance type or zone; else it is tried again until there is room. Where cluster-autoscaler sizes the group the Machine is Failed meanwhile.',
  },
  denied: {
    waitsFor: 'credentials and permissions that the cloud accepts',
    toDo: 'Mend the credentials, or what they are permitted; it goes on at the next try.',
  },
  throttled: {
    waitsFor: 'the cloud, which throttles our calls',
    toDo: 'Nothing: it is tried again, ever more slowly. If it lasts, find out who else calls this cloud so often.',
  },
  invalid: {
    waitsFor: 'a corrected configuration',
    toDo: 'Correct what is named; it goes on at the next try.',
  },
  soon: {
    waitsFor: 'the cloud to do what it failed to do',
    toDo: 'Nothing at first: it is tried again by itself. If it lasts, check that the worker reaches the cloud.',
  },
} as const satisfies Readonly<Record<RetryClass, { readonly waitsFor: string; readonly toDo: string }>>;

const SHOWN = { isTrouble: true, conditions: ['MachineCreation', 'LoadBalancersAttached'] } as const;
const { exhausted, throttled, invalid, soon } = CLASSES;

/** The codes that every provider speaks: the reason where the cloud gave no code of its own. */
export const CLOUD_CODES = {
  ResourceExhausted: { ...SHOWN, waitsFor: exhausted.waitsFor, retryClass: 'exhausted' },
  PermissionDenied: { ...SHOWN, waitsFor: 'a permission in the cloud', retryClass: 'denied' },
  Unauthenticated: { ...SHOWN, waitsFor: 'credentials that the cloud accepts', retryClass: 'denied' },
  Throttled: { ...SHOWN, waitsFor: throttled.waitsFor, retryClass: 'throttled' },
  InvalidArgument: { ...SHOWN, waitsFor: invalid.waitsFor, retryClass: 'invalid' },
  Unavailable: { ...SHOWN, waitsFor: 'the cloud, which cannot be reached or is out of service', retryClass: 'soon' },
  DeadlineExceeded: { ...SHOWN, waitsFor: 'the cloud, which does not answer', retryClass: 'soon' },
  Internal: { ...SHOWN, waitsFor: 'the cloud, which fails by an error of its own', retryClass: 'soon' },
  Canceled: { ...SHOWN, waitsFor: soon.waitsFor, retryClass: 'soon' },
  Unknown: { ...SHOWN, waitsFor: soon.waitsFor, retryClass: 'soon' },
  NotFound: { ...SHOWN, waitsFor: 'something in the cloud that is not there', retryClass: 'soon' },
  AlreadyExists: { ...SHOWN, waitsFor: soon.waitsFor, retryClass: 'soon' },
  FailedPrecondition: { ...SHOWN, waitsFor: 'what the call needs, which is not so (yet)', retryClass: 'soon' },
  Aborted: { ...SHOWN, waitsFor: 'the call to be made again', retryClass: 'soon' },
} as const satisfies Readonly<Record<ProviderErrorCode, ReasonRow>>;
