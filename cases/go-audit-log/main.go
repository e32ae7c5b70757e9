// SPDX-License-Identifier: Apache-2.0
// An HTTP service that notes every document it is sent in an audit log, and answers when the note is on disk.
//
// usage: auditlog PORT FILE plain|fixed|vain
//
//	plain   a mutex is held while a note is written and synced
//	fixed   one goroutine writes all notes that came meanwhile, and syncs once for them
//	vain    as plain, but with a cheap checksum of the document instead of SHA-256
package main

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
)

// auditLog keeps notes; Append returns when its note is on disk.
type auditLog interface {
	Append(note []byte) error
}

type lockedLog struct {
	mutex sync.Mutex
	file  *os.File
}

func (l *lockedLog) Append(note []byte) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, err := l.file.Write(note); err != nil {
		return err
	}
	return l.file.Sync()
}

type entry struct {
	note []byte
	done chan error
}

type groupLog struct {
	file    *os.File
	entries chan entry
}

func (l *groupLog) Append(note []byte) error {
	mine := entry{note, make(chan error, 1)}
	l.entries <- mine
	return <-mine.done
}

func (l *groupLog) run() {
	for first := range l.entries {
		group := []entry{first}
		text := first.note
		for more := true; more; {
			select {
			case next := <-l.entries:
				group = append(group, next)
				text = append(text, next.note...)
			default:
				more = false
			}
		}
		_, err := l.file.Write(text)
		if err == nil {
			err = l.file.Sync()
		}
		for _, written := range group {
			written.done <- err
		}
	}
}

func sha256Digest(document []byte) string { return fmt.Sprintf("%x", sha256.Sum256(document)) }
func crc32Digest(document []byte) string  { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(document)) }

func main() {
	file, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	var audit auditLog = &lockedLog{file: file}
	digest := sha256Digest
	switch os.Args[3] {
	case "fixed":
		group := &groupLog{file, make(chan entry, 64)}
		go group.run()
		audit = group
	case "vain":
		digest = crc32Digest
	}
	http.HandleFunc("/documents", func(answer http.ResponseWriter, request *http.Request) {
		document, err := io.ReadAll(request.Body)
		if err == nil {
			err = audit.Append([]byte(request.RemoteAddr + " " + digest(document) + "\n"))
		}
		if err != nil {
			http.Error(answer, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(answer, "noted")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
