import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock.ts';
import type { ProviderErrorCode, RetryClass } from '../provider-error.ts';
import { providerErrorOf } from './aws-call.ts';
import type { CallPurpose } from './aws-call.ts';

const errorOf = (
  Code: string,
  {
    message = 'no',
    status = 400,
    purpose = 'launch',
  }: { message?: string; status?: number; purpose?: CallPurpose } = {},
) =>
  providerErrorOf(
    Object.assign(new Error(message), { name: `${Code}Exception`, Code, $metadata: { httpStatusCode: status } }),
    { attempted: 'launch', purpose, timeoutMs: 1, clock: systemClock, secrets: () => [] },
  );

const EXHAUSTED = [
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientAddressCapacity',
  'InsufficientVolumeCapacity',
  'InsufficientFreeAddressesInSubnet',
  'InsufficientReservedInstanceCapacity',
  'InstanceLimitExceeded',
  'VcpuLimitExceeded',
  'VolumeLimitExceeded',
  'MaxSpotInstanceCountExceeded',
  'SpotMaxPriceTooLow',
  'MaxIOPSLimitExceeded',
  'AttachmentLimitExceeded',
  'NetworkInterfaceLimitExceeded',
  'AddressLimitExceeded',
  'Unsupported',
];
const THROTTLED = [
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'EC2ThrottledException',
  'RequestThrottled',
  'SlowDown',
  'TooManyRequestsException',
  'BandwidthLimitExceeded',
];
const DENIED = [
  'UnauthorizedOperation',
  'AccessDenied',
  'OptInRequired',
  'Blocked',
  'PendingVerification',
  'OperationNotPermitted',
  'InvalidKMSKey.InvalidState',
];
const UNAUTHENTICATED = [
  'AuthFailure',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'ExpiredToken',
  'RequestExpired',
  'SignatureDoesNotMatch',
];
const INVALID = [
  'InvalidParameter',
  'InvalidParameterValue',
  'InvalidParameterCombination',
  'InvalidInput',
  'MissingParameter',
  'UnknownParameter',
  'UnsupportedOperation',
  'InvalidSomethingNew.Malformed',
];

const ROWS: readonly (readonly [ProviderErrorCode, RetryClass, boolean, readonly string[]])[] = [
  ['ResourceExhausted', 'exhausted', true, EXHAUSTED],
  ['Throttled', 'throttled', false, THROTTLED],
  ['PermissionDenied', 'denied', false, DENIED],
  ['Unauthenticated', 'denied', false, UNAUTHENTICATED],
  ['InvalidArgument', 'invalid', true, INVALID],
  ['FailedPrecondition', 'soon', false, ['IdempotentParameterMismatch', 'IdempotentInstanceTerminated']],
  ['FailedPrecondition', 'soon', false, ['IncorrectInstanceState', 'InvalidTarget', 'InvalidInstance']],
  ['NotFound', 'soon', false, ['InvalidInstanceID.NotFound', 'LoadBalancerNotFound', 'TargetGroupNotFound']],
  ['Internal', 'soon', false, ['InternalError', 'InternalFailure']],
  ['Unavailable', 'soon', false, ['Unavailable', 'ServiceUnavailable', 'InsufficientCapacity']],
  ['DeadlineExceeded', 'soon', false, ['RequestTimeout']],
  ['Unknown', 'soon', false, ['SomethingNew', 'constructor']],
];

describe('a code of AWS', () => {
  it.each(ROWS.flatMap(([code, retry, proof, codes]) => codes.map((each) => [each, code, retry, proof] as const)))(
    '%s means %s, to be retried as %s; proof that nothing was made: %s',
    (cloudCode, code, retryClass, proof) => {
      const error = errorOf(cloudCode);
      expect(error).toMatchObject({ code, retryClass, details: { cloudCode } });
      expect(error.details.provesNoInstance ?? false).toBe(proof);
      expect(error.message).toBe(`launch: AWS answered ${cloudCode}: no`);
    },
  );

  it.each([
    ['InvalidAMIID.Malformed', '', 'ami'],
    ['InvalidInstanceType', '', 'instanceType'],
    ['InvalidBlockDeviceMapping', '', 'blockDevices'],
    ['InvalidParameterValue', 'Value (x) for parameter availabilityZone is invalid.', 'placement.availabilityZone'],
    ['InvalidParameterValue', "Invalid value 'm9' for InstanceType.", 'instanceType'],
    ['MissingParameter', 'The request must contain the parameter ImageId', 'ami'],
  ])('%s %s names the field %s', (cloudCode, message, field) => {
    expect(errorOf(cloudCode, { message }).details).toEqual({
      cloudCode,
      field: `providerSpec.value.${field}`,
      provesNoInstance: true,
    });
  });

  it.each([
    ['InvalidAMIID.NotFound', '', 'ami'],
    ['InvalidAMIID.Unavailable', '', 'ami'],
    ['InvalidSubnetID.NotFound', '', 'subnet'],
    ['InvalidGroup.NotFound', '', 'securityGroups'],
    ['InvalidSecurityGroupID.NotFound', '', 'securityGroups'],
    ['InvalidKeyPair.NotFound', '', 'keyName'],
    ['InvalidSnapshot.NotFound', '', 'blockDevices'],
    ['InvalidHostID.NotFound', '', 'placement.host'],
    ['InvalidCapacityReservationId.NotFound', '', 'capacityReservationId'],
    ['InvalidPlacementGroup.Unknown', '', 'placementGroupName'],
    ['VPCIdNotSpecified', '', 'subnet'],
    ['InvalidParameterValue', 'Value (x) for parameter iamInstanceProfile.name is invalid.', 'iamInstanceProfile'],
    ['InvalidUserData.Malformed', '', 'userDataSecret'],
    ['InvalidParameterValue', 'User data is limited to 16384 bytes', 'userDataSecret'],
    ['InvalidParameterValue', 'Invalid BASE64 encoding of user data', 'userDataSecret'],
  ])('%s %s may be mended without a change of the spec, whose field %s it names', (cloudCode, message, field) => {
    expect(errorOf(cloudCode, { message }).details).toEqual({
      cloudCode,
      field: `providerSpec.value.${field}`,
      outsideSpec: true,
      provesNoInstance: true,
    });
    expect(errorOf(cloudCode, { message, purpose: 'other' }).details).toEqual({ cloudCode });
  });

  it('of a refused parameter is the fault of a spec only where the parameter came from one', () => {
    const other = errorOf('InvalidParameterValue', { purpose: 'other' });
    expect(other).toMatchObject({ code: 'FailedPrecondition', details: { cloudCode: 'InvalidParameterValue' } });
    expect(other.details.provesNoInstance).toBeUndefined();
    const read = errorOf('InvalidSubnetID.NotFound', { purpose: 'resolve' });
    expect(read).toMatchObject({ code: 'InvalidArgument', details: { field: 'providerSpec.value.subnet' } });
    expect(read.details.provesNoInstance).toBeUndefined();
  });

  it('tells that the instance of the token is terminated', () => {
    expect(errorOf('IdempotentInstanceTerminated').details).toMatchObject({ tokenTerminated: true });
  });

  it('tells that the token is known with other parameters', () => {
    expect(errorOf('IdempotentParameterMismatch').details).toMatchObject({ tokenMismatched: true });
  });

  it.each([
    [401, 'Unauthenticated'],
    [403, 'PermissionDenied'],
    [429, 'Throttled'],
    [400, 'Unknown'],
    [500, 'Internal'],
    [503, 'Unavailable'],
  ])('that is not known counts by its HTTP status: %i is %s', (status, code) => {
    expect(errorOf('SomethingNew', { status })).toMatchObject({ code, details: { cloudCode: 'SomethingNew' } });
  });
});
