package dev.telar.locations;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Each use case is one statement, so each is one transaction of the database's own. */
@RestController
@RequestMapping("/location")
class LocationController {

    private final LocationRepository locations;

    LocationController(LocationRepository locations) {
        this.locations = locations;
    }

    @GetMapping("/{id}")
    Mono<Location> find(@PathVariable String id) {
        return locations
                .findById(LocationId.parse(id))
                .switchIfEmpty(Mono.error(LocationNotFoundException::new));
    }

    @PostMapping
    Mono<ResponseEntity<Location>> create(@Valid @RequestBody Location location) {
        return locations.save(location).map(LocationController::created);
    }

    @PutMapping("/{id}")
    Mono<Location> replace(@PathVariable String id, @Valid @RequestBody Location location) {
        long known = LocationId.parse(id);
        return changed(locations.replace(known, location)).thenReturn(location.withId(known));
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(@PathVariable String id) {
        return changed(locations.deleteLocation(LocationId.parse(id)));
    }

    private static Mono<Void> changed(Mono<Long> rows) {
        return rows.filter(count -> count > 0)
                .switchIfEmpty(Mono.error(LocationNotFoundException::new))
                .then();
    }

    private static ResponseEntity<Location> created(Location location) {
        return ResponseEntity.created(URI.create("/location/" + location.id())).body(location);
    }
}
