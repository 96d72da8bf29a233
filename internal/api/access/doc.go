// Package access checks what lets a caller in: write keys of senders, keys of websites, and links that show
// one subject. Keys of websites and links are texts that only a holder of a secret can make. The package has
// few dependencies, so that the authorizer starts fast.
package access
