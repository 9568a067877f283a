import { healthchecking } from '../../../../k8s/dialects/healthchecking/api.ts';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { ApiRegistry } from '../../../../k8s/dialects/registry.ts';
import { rooms } from './rooms/api.ts';

/** The registry, where it knew their name. */
export const WITH_ROOMS = new ApiRegistry([openshift, healthchecking, rooms]);
