/** What the answers of EC2 and of the load balancers mean in the codes that every provider speaks. */

import type { ProviderErrorCode } from '../provider-error.ts';
import { given } from '../given.ts';

export interface Meaning {
  readonly code: ProviderErrorCode;
  /** As the answer to a launch, it proves that this call made no instance. */
  readonly refusesLaunch?: true;
  readonly tokenTerminated?: true;
  readonly tokenMismatched?: true;
  /** What of `providerSpec.value` is wrong. */
  readonly field?: string;
  /** What is wrong is something that the spec names, which may change without it. */
  readonly outsideSpec?: true;
}

const EXHAUSTED: Meaning = { code: 'ResourceExhausted', refusesLaunch: true };
const INVALID: Meaning = { code: 'InvalidArgument', refusesLaunch: true };

/** One row per meaning. docs/providers/aws.md shows the same table. */
const ROWS: readonly (readonly [Meaning, readonly string[]])[] = [
  [
    EXHAUSTED,
    [
      'InsufficientInstanceCapacity',
      'InsufficientHostCapacity',
      'InsufficientCapacityOnHost',
      'InsufficientAddressCapacity',
      'InsufficientVolumeCapacity',
      'InsufficientFreeAddressesInSubnet',
      'InsufficientReservedInstanceCapacity',
      'ReservationCapacityExceeded',
      'InstanceLimitExceeded',
      'VcpuLimitExceeded',
      'VolumeLimitExceeded',
      'MaxIOPSLimitExceeded',
      'MaxSpotInstanceCountExceeded',
      'SpotMaxPriceTooLow',
      'AttachmentLimitExceeded',
      'NetworkInterfaceLimitExceeded',
      'AddressLimitExceeded',
      'PrivateIpAddressLimitExceeded',
      'HostLimitExceeded',
      'ResourceLimitExceeded',
      'ResourceCountExceeded',
      'TooManyTargets',
      'TooManyRegistrationsForTargetId',
      // The zone does not offer the type, today.
      'Unsupported',
    ],
  ],
  [
    { code: 'Throttled' },
    [
      'RequestLimitExceeded',
      'Throttling',
      'ThrottlingException',
      'ThrottledException',
      'EC2ThrottledException',
      'RequestThrottled',
      'RequestThrottledException',
      'SlowDown',
      'TooManyRequestsException',
      'BandwidthLimitExceeded',
      'PriorRequestNotComplete',
    ],
  ],
  [
    { code: 'PermissionDenied' },
    [
      'UnauthorizedOperation',
      'AccessDenied',
      'AccessDeniedException',
      'NotAuthorized',
      'NotAuthorizedException',
      'OptInRequired',
      'Blocked',
      'PendingVerification',
      'OperationNotPermitted',
      'KMSKeyNotAccessibleFault',
    ],
  ],
  [
    { code: 'Unauthenticated' },
    [
      'AuthFailure',
      'InvalidClientTokenId',
      'InvalidAccessKeyId',
      'UnrecognizedClientException',
      'ExpiredToken',
      'ExpiredTokenException',
      'InvalidToken',
      'SignatureDoesNotMatch',
      'InvalidSignatureException',
      'IncompleteSignature',
      'MissingAuthenticationToken',
      'MissingAuthenticationTokenException',
      'RequestExpired',
      'TokenRefreshRequired',
    ],
  ],
  [
    INVALID,
    [
      'MissingParameter',
      'MissingInput',
      'UnknownParameter',
      'UnsupportedOperation',
      'UnsupportedParameter',
      'ValidationError',
      'MalformedQueryString',
      'EncryptedVolumesNotSupported',
    ],
  ],
  [{ ...INVALID, field: 'ami' }, ['UnsupportedImageType', 'AMINotFound']],
  [{ ...INVALID, field: 'subnet' }, ['VPCIdNotSpecified', 'DefaultSubnetDoesNotExistInAvailabilityZone']],
  [{ ...INVALID, field: 'blockDevices' }, ['UnknownVolumeType', 'VolumeTypeNotAvailableInZone', 'NonEBSInstance']],
  [{ ...INVALID, field: 'tags' }, ['TagLimitExceeded']],
  [
    { ...INVALID, field: 'securityGroups' },
    ['SecurityGroupsPerInstanceLimitExceeded', 'SecurityGroupsPerInterfaceLimitExceeded'],
  ],
  // EC2 answers it even after a call that failed.
  [{ code: 'FailedPrecondition', tokenMismatched: true }, ['IdempotentParameterMismatch']],
  [{ code: 'FailedPrecondition', tokenTerminated: true }, ['IdempotentInstanceTerminated']],
  [
    { code: 'FailedPrecondition' },
    // The last two: a load balancer takes instances that run.
    ['IncorrectInstanceState', 'IncorrectState', 'IncorrectStateException', 'InvalidInstance', 'InvalidTarget'],
  ],
  [
    { code: 'NotFound' },
    [
      'InvalidInstanceID.NotFound',
      'InvalidInstanceID.Malformed',
      'LoadBalancerNotFound',
      'AccessPointNotFound',
      'TargetGroupNotFound',
    ],
  ],
  [{ code: 'Internal' }, ['InternalError', 'InternalFailure', 'InternalServerError']],
  [
    { code: 'Unavailable' },
    ['Unavailable', 'ServiceUnavailable', 'ServiceUnavailableException', 'InsufficientCapacity'],
  ],
  [{ code: 'DeadlineExceeded' }, ['RequestTimeout', 'RequestTimeoutException']],
];

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  ROWS.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning] as const)),
);

/** The rest of EC2's `Invalid…` codes are refusals of a parameter; the first part of the name says of which. */
const INVALID_PREFIXES: readonly (readonly [string, string | undefined])[] = [
  ['InvalidAMI', 'ami'],
  ['InvalidInstanceType', 'instanceType'],
  ['InvalidSubnet', 'subnet'],
  ['InvalidNetworkInterface', 'networkInterfaceType'],
  ['InvalidGroup', 'securityGroups'],
  ['InvalidSecurityGroup', 'securityGroups'],
  ['InvalidKeyPair', 'keyName'],
  ['InvalidIamInstanceProfile', 'iamInstanceProfile'],
  ['InvalidZone', 'placement.availabilityZone'],
  ['InvalidAvailabilityZone', 'placement.availabilityZone'],
  ['InvalidHost', 'placement.host'],
  ['InvalidTenancy', 'placement.tenancy'],
  ['InvalidPlacementGroup', 'placementGroupName'],
  ['InvalidCapacityReservation', 'capacityReservationId'],
  ['InvalidBlockDeviceMapping', 'blockDevices'],
  ['InvalidSnapshot', 'blockDevices'],
  ['InvalidVolume', 'blockDevices'],
  ['InvalidUserData', 'userDataSecret'],
  ['InvalidTagKey', 'tags'],
  ['InvalidSpot', 'spotMarketOptions'],
  ['Invalid', undefined],
];

/** Words for a parameter in EC2's messages (`… for parameter groupId is invalid`), and the field each comes from. */
const PARAMETERS: readonly (readonly [RegExp, string])[] = [
  [/^iamInstanceProfile/i, 'iamInstanceProfile'],
  [/^instanceType$/i, 'instanceType'],
  [/^imageId$/i, 'ami'],
  [/^keyName$/i, 'keyName'],
  [/subnet/i, 'subnet'],
  [/^(groupId|groupName|securityGroup)/i, 'securityGroups'],
  [/availability-?zone/i, 'placement.availabilityZone'],
  [/^(volume|ebs|iops|throughput|blockDevice|snapshot|kmsKey)/i, 'blockDevices'],
  [/^(price|spot)/i, 'spotMarketOptions'],
  [/^(userData)/i, 'userDataSecret'],
  [/^tag/i, 'tags'],
];

/** Undefined: the code is not known. */
export function meaningOf(cloudCode: string, message: string): Meaning | undefined {
  const listed = MEANINGS.get(cloudCode);
  if (listed !== undefined && listed.code !== 'InvalidArgument') return listed;
  // A key that is there and may not be used, or is switched off: nothing in the spec has to change.
  if (cloudCode.startsWith('InvalidKMSKey')) return { code: 'PermissionDenied' };
  const byName = INVALID_PREFIXES.find(([prefix]) => cloudCode.startsWith(prefix));
  if (listed === undefined && byName === undefined) return undefined;
  const field = listed?.field ?? byName?.[1] ?? fieldOfMessage(message);
  return {
    ...INVALID,
    ...given({ field, outsideSpec: isOutsideSpec(cloudCode, field) || undefined }),
  };
}

/** What a spec names may come, or become usable, later: an image that is still being copied, say. */
const NOT_THERE = /(NotFound|\.Unknown|\.Unavailable)$/;
const NO_DEFAULT: ReadonlySet<string> = new Set(['VPCIdNotSpecified', 'DefaultSubnetDoesNotExistInAvailabilityZone']);
/** Whatever is wrong with these stands elsewhere: in IAM, which tells EC2 late of what was made, and in a Secret. */
const NAMED_ONLY: ReadonlySet<string | undefined> = new Set(['iamInstanceProfile', 'userDataSecret']);

function isOutsideSpec(cloudCode: string, field: string | undefined): boolean {
  return NOT_THERE.test(cloudCode) || NO_DEFAULT.has(cloudCode) || NAMED_ONLY.has(field);
}

function fieldOfMessage(message: string): string | undefined {
  const name = /(?:for|the) parameter:? '?([A-Za-z][A-Za-z-]*)|invalid value '[^']*' for ([A-Za-z-]+)/i.exec(message);
  const parameter = name?.[1] ?? name?.[2];
  const named = PARAMETERS.find(([pattern]) => parameter !== undefined && pattern.test(parameter))?.[1];
  // `User data is limited to 16384 bytes`, `Invalid BASE64 encoding of user data`.
  return named ?? (/\buser ?data\b/i.test(message) ? 'userDataSecret' : undefined);
}

/** For answers without a known code. A 4xx of unknown meaning is retried: it may be no fault of the spec. */
export function codeOfStatus(status: number | undefined): ProviderErrorCode {
  if (status === undefined) return 'Unknown';
  if (status === 401) return 'Unauthenticated';
  if (status === 403) return 'PermissionDenied';
  if (status === 429) return 'Throttled';
  if (status === 502 || status === 503 || status === 504) return 'Unavailable';
  return status >= 500 ? 'Internal' : 'Unknown';
}
