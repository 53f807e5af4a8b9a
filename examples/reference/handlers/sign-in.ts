/** PSTOKEN: hands out session tokens, which METADATA_TOKEN takes (specification 27.10). */
export { SessionTokenHandler as default } from 'integration-gateway'
